"""Clients of a board: requests that can't spend a look twice, and the state of a long run."""

from holdfast.client.http import BoardClient, Released, Unscorable
from holdfast.client.state import RunState

__all__ = ["BoardClient", "Released", "RunState", "Unscorable"]
