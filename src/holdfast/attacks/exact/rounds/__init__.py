r"""Rounds of a detecting design: what is asked of positions, packed into nodes and read as digits.

The engine of `Lattice` up to some twenty classes, from a model too; `many_classes`, `Detecting` and
`PooledDetecting` use its rows. docs/attacks/lattice.md has the argument.

Vocabulary
----------
position
    An example of the hidden test set.
row
    A query of a round. Row x = 0 .. K-1 is read as the set of its bits.
node
    A nonempty set c of bits, 0 < c < K. A position sits at one node, and what it shows in row x
    depends on the bits of x inside c alone. So in the alternating sum of the answers over the
    subsets of c only positions at c, and at nodes that contain c, are left.
capacity
    Of a node with s bits: 2^(s-1), its rows of either sign. A position that shows another label in
    v of them, v up to the capacity, adds v times what the change does to the count.
block
    Positions whose joint value is a digit of a node's sum, which is a number in mixed radix. The
    *last* block of a node has no digit above it, and an unlimited range.
run
    Rows of one sign and consecutive ranks in which the positions of a block show one label.
variable, kind
    What is unknown, in independent parts; variables of one kind are interchangeable in planning.
offer
    A block that can be made of variables of a kind: its radix, the rows it needs, its bits.

Modules
-------
From the answers up:

- `kernels`, `layout`: the rows of a round, and the values of its blocks from the counts;
- `knowledge`: labels known so far, and asking a round;
- `weights`, `variables`, `offers`: what is unknown, and what can be asked of it;
- `digit_blocks`, `blocks`, `placing`: what a block shows in each row, and what its values mean;
- `checks`, with `error_search`, `shortfall`, `rulers`: the same for labels that a model names;
- `packing`, `lengths`: which blocks make the next round, and how long it is;
- `recovery`: the game.
"""
