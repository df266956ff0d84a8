r"""Adaptive attacks that steer every label posterior by reverse water-filling.

An answer is a sum over examples, so it moves every posterior by a little. Steering asks next what
still changes a guess: each example shows one of two labels until one of them leads by a common
margin, the Lagrange slope of a rate-distortion problem, and is then left alone (parked).

Three choices exist, and each attack is a combination:

- what it begins from: the prior (`ChampionChallenger`), the posteriors that the pools of a design
  leave (`SteeredPools`), or a prior stacked from models' votes (`VoteStacking`);
- which count it aims at: any, or with coarse rounding one near a boundary (`BoundaryChallenger`);
- what the margin follows: the looks left, or where nobody knows them 0.3 of those taken
  (`AnytimeChampionChallenger`).

Start here: `champion_challenger` (the course of a game) -> `linear_posterior` (what an answer
tells) -> `water_filling` (the margin, and the pair with two labels) -> `multiclass_pairing` (the
pair with three classes or more). docs/attacks/steering.md has the argument.

Vocabulary
----------
position
    One example, or a group of examples that show the same label and count together.
champion, challenger
    The most likely label of a position, and the second most likely or an unshown one.
p_j(l), theta_j(l)
    The prior probability of label l at position j, and the sum of the solution's weights over the
    queries that showed it: the estimate is p_j(l) (1 + theta_j(l) - sum_c p_j(c) theta_j(c)).
level, slope
    The margin s in log-odds: R(s) = nats left, by reverse water-filling over all posteriors.
parked
    A position whose champion leads by the level: it shows its champion.
window, memory
    Beyond 600 looks, positions take turns, a window for each 600, since the work grows with the
    square of the answers. From 32 classes on, the estimates become the prior after 64 answers.
novel
    A query whose count the answers so far leave open.
"""
