"""Hill climbing: attacks that keep a change when the board rises."""
