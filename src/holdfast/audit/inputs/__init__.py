"""What an audit is asked: labels, policy, history, models, and the unit of its figures."""
