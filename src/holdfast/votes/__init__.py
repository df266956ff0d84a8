"""Label priors from several models' votes, without the hidden labels."""

from holdfast.votes.stack import Stack
from holdfast.votes.votes import Votes

__all__ = ["Stack", "Votes"]
