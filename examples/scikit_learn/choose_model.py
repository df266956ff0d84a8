"""Choose a model on a guarded holdout, then search a grid with a guarded scorer.

Run: holdfast ledger init digits-ledger.db; python choose_model.py [LEDGER]. The same ledger keeps
counting when it is run again; one that is missing is refused, since it would count from nothing.
"""

import sys

from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from holdfast.errors import BudgetExhausted
from holdfast.guard import Policy
from holdfast.guard.adapters.scikit_learn import GuardedHoldout


def main(ledger: str = "digits-ledger.db") -> None:
    X, y = load_digits(return_X_y=True)
    X_train, X_holdout, y_train, y_holdout = train_test_split(X, y, test_size=0.5, random_state=0)
    policy = Policy("round:2", looks_per_team=8)
    holdout = GuardedHoldout(X_holdout, y_holdout, policy, ledger)

    models = {
        "naive Bayes": GaussianNB().fit(X_train, y_train),
        "nearest neighbours": KNeighborsClassifier().fit(X_train, y_train),
        "logistic": LogisticRegression(max_iter=2000).fit(X_train, y_train),
    }
    chosen = holdout.select(models)
    print("best:", chosen.best, dict(chosen.released), "refused:", chosen.refused)

    # A grid search that trains on the training rows and looks at the holdout through the guard.
    try:
        search = holdout.search(
            GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 9]}), X_train, y_train
        )
    except BudgetExhausted as refusal:
        print("grid search refused:", refusal)
    else:
        print("grid search:", search.best_params_, round(float(search.best_score_), 2))


if __name__ == "__main__":
    main(*sys.argv[1:])
