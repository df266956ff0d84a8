"""Hosts' own configuration files: what they allow, line by line."""
