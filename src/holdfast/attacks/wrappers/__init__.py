"""Wrappers that let an attack play on other labels, or on other answers, than its own."""
