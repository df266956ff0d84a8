"""Speed and power, measured: scripts whose figures the docs quote."""
