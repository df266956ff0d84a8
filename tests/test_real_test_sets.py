"""Real test sets: made-up ones here, since no test may need the real ones."""

import json

import numpy as np
import pytest
from benchmarks.made import Made, stamp
from benchmarks.real import __main__ as command
from benchmarks.real import analysts, grid, kept, tables
from benchmarks.real.analyst import ascending, submitted
from benchmarks.real.figure import draw_gains
from benchmarks.real.folder import NoData, data_folder
from benchmarks.real.games import BY_GROUP, MODELS, NOTHING, PLANNED, TOTAL, Game, Player
from benchmarks.real.rows import Place, Plays, known_games, merged, plays_of, read_places, written
from benchmarks.real.sets import read_set

from holdfast import attacks
from holdfast.experiments.summary import mean_of
from holdfast.sweeps import Journal

N, M, MODELS_HERE = 90, 3, 4


def models_of(labels, rng):
    """Return models that are right about 60 to 90 % of the labels."""
    rights = np.linspace(0.6, 0.9, MODELS_HERE)
    wrong = (labels[:, None] + rng.integers(1, M, size=(labels.size, MODELS_HERE))) % M
    right = rng.random((labels.size, MODELS_HERE)) < rights
    return np.where(right, labels[:, None], wrong).astype(np.uint8)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a set that has fresh examples, and one with groups."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(3)
    for name in ("letter", "mmlu"):
        (folder / name).mkdir()
        labels = np.sort(rng.integers(M, size=N)).astype(np.uint8)
        np.save(folder / name / "y.npy", labels)
        if name == "letter":
            fresh = rng.integers(M, size=N).astype(np.uint8)
            np.save(folder / name / "y_fresh.npy", fresh)
            votes = {"test": models_of(labels, rng), "fresh": models_of(fresh, rng)}
            np.savez(folder / name / "pred_n_by_models.npz", **votes)
        else:
            np.save(folder / name / "subject.npy", np.arange(N) // 30)
            np.savez(folder / name / "pred_n_by_4models.npz", pred=models_of(labels, rng))
    return folder


@pytest.fixture
def small(monkeypatch):
    """Few looks, few rules, few attacks."""
    monkeypatch.setattr(grid, "LOOKS", (5, 9))
    monkeypatch.setattr(grid, "RULES", ("exact", "round:4", "ladder"))
    monkeypatch.setattr(grid, "cheap_attacks", lambda: ["hill-climb"])
    monkeypatch.setattr(grid, "paper_attacks", lambda: ["block-majority", "boosting"])


def test_the_folder_is_given_or_named_or_beside(tmp_path):
    one, two, three = (tmp_path / name for name in "abc")
    for each in (one, two, three):
        each.mkdir()
    named = {"HOLDFAST_DATA": str(two)}
    assert data_folder(one, named, three) == one
    assert data_folder(None, named, three) == two
    assert data_folder(None, {}, three) == three


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        ("gone", {}, "--data must be a folder with a folder for each test set, got"),
        (None, {"HOLDFAST_DATA": "gone"}, "HOLDFAST_DATA must name a folder"),
        (None, {}, "real test sets are not part of the project: give the folder"),
    ],
)
def test_where_there_is_no_data_one_line_says_what_to_do(tmp_path, given, named, said):
    with pytest.raises(NoData, match=said):
        data_folder(tmp_path / given if given else None, named, tmp_path / "nowhere")


def test_the_command_says_it_and_exits_with_two(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["real", "games", "--data", str(tmp_path / "gone")])
    assert command.main() == 2
    assert capsys.readouterr().err.startswith("error: --data must be a folder")


def test_a_set_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NoData, match="letter: there is no folder of that name"):
        read_set(tmp_path, "letter")


def test_rows_are_permuted_together(data):
    """Labels lie sorted in the file; models and groups must still fit them."""
    real = read_set(data, "mmlu")
    assert not (np.diff(real.labels.astype(int)) >= 0).all()
    before = np.load(data / "mmlu" / "y.npy")
    votes = np.load(data / "mmlu" / "pred_n_by_4models.npz")["pred"]
    assert real.accuracies == pytest.approx((votes == before[:, None]).mean(axis=0))
    groups = np.load(data / "mmlu" / "subject.npy")
    for group in range(3):
        assert sorted(real.labels[real.groups == group]) == sorted(before[groups == group])
    assert real.model_matches >= N * 0.8


@pytest.mark.slow
def test_a_pass_is_played_once_and_resumed(data, small, tmp_path):
    sets = [read_set(data, name) for name in ("letter", "mmlu")]
    players = {real.name: Player(real) for real in sets}
    with Journal(tmp_path / "rows.jsonl") as journal:
        rows = list(grid.pass_over(sets, players, 0, tmp_path, journal))
        assert len(journal.rows) == len(rows)
        before = dict(journal.rows)
        for each in players.values():
            each.play = None  # whatever is played again breaks
        again = list(grid.pass_over(sets, players, 0, tmp_path, journal))
    assert again == rows
    assert journal.rows == before
    found = plays_of(rows)
    # Two rules, two looks: three attacks and a plan each; prior attacks; by group in one set.
    assert Place("letter", TOTAL, NOTHING, "boosting", "exact", 5) in found
    assert found[Place("letter", TOTAL, NOTHING, "boosting", "exact", 5)].gains == {}
    assert (
        "n_classes must be 2"
        in found[Place("letter", TOTAL, NOTHING, "boosting", "exact", 5)].error
    )
    planned = found[Place("mmlu", BY_GROUP, NOTHING, PLANNED, "exact", 9)]
    assert set(planned.gains) == {0}
    assert not any(place.rule == "round:4" for place in found)  # it hides nothing of 90 examples
    assert {place.set for place in found if place.shown == BY_GROUP} == {"mmlu"}
    # What is kept is not played again either.
    known = known_games(read_places(json.loads(json.dumps(written(found)))))
    with Journal(tmp_path / "new.jsonl") as journal:
        assert list(grid.pass_over(sets, players, 0, tmp_path, journal, known)) == []


def test_breakdowns_are_left_out_if_asked(data, small, tmp_path):
    real = read_set(data, "mmlu")
    player = Player(real)
    with Journal(tmp_path / "rows.jsonl") as journal:
        rows = list(grid.pass_over([real], {"mmlu": player}, 0, tmp_path, journal, by_group=False))
    assert {place.shown for place in plays_of(rows)} == {TOTAL}


def test_a_game_is_the_same_whenever_it_is_played(data):
    real = read_set(data, "letter")
    game = Game("letter", TOTAL, MODELS, "hadamard-blocks", "exact", 9, 1)
    one, two = (Player(real).play(game) for _ in range(2))
    assert one["gain_examples"] == two["gain_examples"]
    assert one["error"] is None
    assert game.address != game._replace(seed=2).address


def test_gains_from_models_count_from_their_vote(data):
    real = read_set(data, "letter")
    game = Game("letter", TOTAL, MODELS, "prior-climb", "ladder:0.01", 1, 0)
    assert Player(real).play(game)["gain_examples"] == 0  # one look climbs nothing


def test_more_looks_at_groups_gain_more_than_at_the_total(data):
    """Thirty examples a group, twenty looks: nearly all labels, and few of the total."""
    player = Player(read_set(data, "mmlu"))
    by_group, total = (
        player.play(Game("mmlu", shown, NOTHING, PLANNED, "exact", 20, 0))
        for shown in (BY_GROUP, TOTAL)
    )
    assert by_group["gain_examples"] > total["gain_examples"] + 5


def test_rows_survive_being_kept_and_merged():
    place = Place("letter", TOTAL, NOTHING, "a", "exact", 10)
    one, two = {place: Plays({0: 1.5}, "a", None)}, {place: Plays({1: 2.5}, "a", None)}
    both = merged(one, two)
    assert both[place].gains == {0: 1.5, 1: 2.5}
    assert read_places(json.loads(json.dumps(written(both)))) == both


def test_what_an_attack_played_before_it_changed_is_played_again(monkeypatch):
    alone = Place("letter", TOTAL, MODELS, "random-climb", "exact", 10)
    grouped = Place("mmlu", BY_GROUP, NOTHING, PLANNED, "exact", 10)
    places = {
        alone: Plays({0: 1.5, 1: 2.5}, "random-climb", None),
        grouped: Plays({0: 1.5}, "block-majority, random-climb", None),
        grouped._replace(looks=30): Plays({0: 1.5}, "block-majority", None),
    }
    assert len(known_games(places)) == 4
    monkeypatch.setattr(attacks.RandomClimb, "results", 2)
    assert known_games(places) == {Game(*grouped._replace(looks=30), 0)}
    # Played again, the games of the later version replace the others, and are known.
    row = {**alone._asdict(), "seed": 1, "attack": "random-climb", "gain_examples": 9.0}
    fresh = plays_of([row | {"error": None, "versions": {"random-climb": 2}}])
    both = merged(places, fresh)
    assert both[alone].gains == {1: 9.0}
    assert read_places(json.loads(json.dumps(written(both)))) == both
    assert Game(*alone, 1) in known_games(both)


def test_a_journal_of_older_plays_is_not_taken_for_todays(data, small, tmp_path, monkeypatch):
    real = read_set(data, "letter")
    asked = [Game("letter", TOTAL, MODELS, "hadamard-blocks", "exact", 5, 0)]
    with Journal(tmp_path / "rows.jsonl") as journal:
        player = Player(real)
        (first,) = grid._played(asked, player, journal, ())
        assert list(grid._played(asked, player, journal, ())) == [first]
        monkeypatch.setattr(attacks.HadamardBlocks, "results", 2)
        (second,) = grid._played(asked, player, journal, ())
    assert (first["versions"], second["versions"]) == ({}, {"hadamard-blocks": 2})


def test_the_best_is_chosen_among_games_that_all_played():
    """By hand: of two attacks the luckier one must not be chosen by a seed that the other lacks."""
    common = {"set": "s", "shown": TOTAL, "knows": NOTHING, "rule": "exact", "looks": 10}
    places = {
        Place(**common, asked=grid.paper_attacks()[0]): Plays({0: 1.0, 1: 1.0, 2: 50.0}, "x", None),
        Place(**common, asked="other"): Plays({0: 2.0, 1: 2.0}, "other", None),
    }
    best = tables.best_of(places, "s", "best attack", "exact", 10)
    assert (best.attack, best.gain.mean, best.games) == ("other", 2.0, 2)
    paper = tables.best_of(places, "s", "paper's attacks", "exact", 10)
    assert paper.gain == mean_of([1.0, 1.0, 50.0])
    assert tables.best_of(places, "s", "best attack", "exact", 99) == "not played"


def test_the_page_says_how_many_games_its_cells_rest_on():
    common = {"set": "letter", "shown": TOTAL, "knows": NOTHING, "asked": "hill-climb"}
    places = {
        Place(**common, rule="exact", looks=10): Plays(dict.fromkeys(range(8), 1.0), "x", None),
        Place(**common, rule="ladder", looks=10): Plays({0: 1.0, 1: 1.0}, "x", None),
        Place(**common, rule="exact", looks=1000): Plays({0: 1.0, 1: 1.0}, "x", None),
    }
    facts = {"n_examples": 9, "n_classes": 3, "n_models": 1, "best_model": 1, "vote": 1}
    shown = tables.gain_blocks(places, {"letter": facts | {"constant": 1}})["real-games"]
    assert shown.splitlines()[2] == "| UCI Letter | 2 to 8 | 0 | 0 | 0 | 2 |"


def test_what_could_not_be_played_says_why_in_the_table():
    place = Place("letter", BY_GROUP, NOTHING, PLANNED, "ladder", 100)
    shown = tables.gain_blocks(
        {place: Plays({}, None, "it works on accuracies")},
        {
            "letter": {"n_examples": 20_000, "n_classes": 3, "n_models": 1, "best_model": 0.5}
            | {"vote": 0.5, "constant": 0.4}
        },
    )
    assert "not played: it works on accuracies" in shown["real-gains-100"]
    assert "| UCI Letter | best attack | not played | not played |" in shown["real-gains-100"]


def test_the_picture_has_gains_below_zero_where_they_are_with_their_errors(tmp_path, monkeypatch):
    from matplotlib.axes import Axes

    drawn = []
    plain = Axes.errorbar

    def errorbar(axes, x, y, **given):
        drawn.append((list(x), list(y), list(given["yerr"]), given["marker"]))
        return plain(axes, x, y, **given)

    monkeypatch.setattr(Axes, "errorbar", errorbar)
    common = {"set": "letter", "shown": TOTAL, "knows": NOTHING, "asked": "hill-climb"}
    places = {
        Place(**common, rule="ladder", looks=10): Plays({0: -5.0, 1: -3.0}, "hill-climb", None),
        Place(**common, rule="ladder", looks=30): Plays({0: 0.0}, "hill-climb", None),
    }
    draw_gains(places, {"letter": {"n_examples": 1000}}, tmp_path / "gains.svg")
    ((looks, points, errors, _),) = drawn
    assert (looks, points) == ([10, 30], pytest.approx([-0.4, 0.0]))
    assert errors == pytest.approx([0.1, 0.0])


def test_tables_and_picture_call_a_rule_the_same(tmp_path, monkeypatch):
    from matplotlib.axes import Axes

    named = []
    monkeypatch.setattr(Axes, "legend", lambda _, handles, names, **__: named.extend(names))
    place = Place("letter", TOTAL, NOTHING, "hill-climb", "ladder", 10)
    draw_gains(
        {place: Plays({0: 1.0, 1: 2.0}, "hill-climb", None)},
        {"letter": {"n_examples": 1000}},
        tmp_path / "gains.svg",
    )
    assert named == ["parameter-free Ladder: best attack"]


def test_the_analyst_by_hand():
    """Four public examples, three models, worked out on paper."""
    labels = np.zeros(4, dtype=np.int64)
    #        A: 2 right     B: 3 right     C: 4 right
    votes = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0]])
    private = np.array([0.50, 0.80, 0.70])
    found = submitted("exact", labels, votes, private, 2, [0, 1, 2])
    assert (found.leaders, found.progress, found.rejected, found.promoted) == (3, 1, 0, 1)
    assert (found.shown, found.private, found.best) == (1.0, 0.70, 0.80)
    assert found.gap == pytest.approx(0.30)
    assert found.regret == pytest.approx(0.10)
    assert found.shift == pytest.approx(np.mean([0.5, 0.75, 1.0]) - np.mean(private))
    assert found.overfit == pytest.approx(found.gap - found.shift)
    # The parameter-free Ladder wants d^2 > e: one example more is not enough, two are.
    ladder = submitted("ladder", labels, votes, private, 2, [0, 1, 2])
    assert (ladder.leaders, ladder.progress, ladder.rejected) == (2, 2, 1)
    assert (ladder.shown, ladder.private) == (1.0, 0.70)


def test_a_model_without_an_answer_is_wrong_there():
    labels, votes = np.zeros(4, dtype=np.int64), np.array([[0], [255], [2], [0]])
    assert submitted("exact", labels, votes, np.array([0.5]), 2, [0]).shown == 0.5


def test_equal_accuracies_stay_in_their_order():
    assert ascending(np.array([0.5, 0.3, 0.5, 0.3])).tolist() == [1, 3, 0, 2]


def test_analysts_have_a_row_for_every_rule_and_order(data, monkeypatch):
    monkeypatch.setattr(analysts, "SPLITS", 3)
    real = read_set(data, "letter")
    fresh, halves = list(analysts.on_fresh(real)), list(analysts.on_halves(real))
    wanted = {(order, rule) for order in ("as given", "rising") for rule in grid.rules_of(real)}
    assert {(row["order"], row["rule"]) for row in fresh} == wanted
    assert {(row["order"], row["rule"]) for row in halves} == wanted
    exact = fresh[0]
    assert exact["rule"] == "exact"
    assert exact["gap"] == pytest.approx(exact["shown"] - exact["private_accuracy"], abs=2e-5)
    shown = tables.analyst_blocks([*fresh, *halves])
    assert shown["real-fresh"].count("\n") == len(fresh) // 2 + 2
    assert shown["real-halves"].count("\n") == len(halves) // 2 + 2


@pytest.mark.parametrize(
    ("rule", "n", "hides"),
    [
        ("round:4", 10_000, False),
        ("round:4", 10_001, True),
        ("round:2", 100, False),
        ("exact", 10, True),
        ("ladder:0.01", 10, True),
    ],
)
def test_a_rule_is_as_exact_only_if_every_count_has_its_own_answer(rule, n, hides):
    assert grid.hides_nothing(rule, n) is not hides
    if rule.startswith("round") and not hides:
        from holdfast.rules import parse_rule

        step = parse_rule(rule).rounds_to
        answers = {round(count / n / float(step)) for count in range(n + 1)}
        assert len(answers) == n + 1


def test_kept_rows_carry_their_fingerprint_and_an_edited_one_is_found(tmp_path, monkeypatch):
    found = kept.RealAnalysts()
    content = found.load()
    monkeypatch.setattr(found, "files", (tmp_path / "real-analysts.json",))
    found.keep(content)
    assert found.faults() == []
    text = found.files[0].read_text()
    found.files[0].write_text(text.replace('"leaders":', '"leaders": 1', 1))
    assert found.faults()


def test_a_record_that_would_end_the_comment_of_a_picture_is_refused(tmp_path):
    picture = tmp_path / "p.svg"
    picture.write_text("<?xml version='1.0'?>\n<svg/>\n")
    with pytest.raises(ValueError, match="must not have --"):
        stamp(picture, Made("python -m x --data DIR", 1, "0"))
