"""The audit: labels and a policy in, one verdict and the evidence for it out."""
