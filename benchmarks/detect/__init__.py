"""What `holdfast detect` does with honest teams, with attacks, and with those who evade it."""
