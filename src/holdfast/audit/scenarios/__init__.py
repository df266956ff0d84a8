"""Attacks on a policy and what each of them gained."""
