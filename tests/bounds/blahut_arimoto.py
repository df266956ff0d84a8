"""Blahut and Arimoto's iteration: rate and accuracy of a label's best guess at a slope."""

import numpy as np


def blahut_arimoto(shares, slope, rounds=4000):
    """Return rate and accuracy of the best guess at a slope, by iteration."""
    p = np.array(shares)
    kernel = np.exp(slope * np.eye(p.size))
    guess = np.full(p.size, 1.0 / p.size)
    for _ in range(rounds):
        joint = guess * kernel
        joint /= joint.sum(axis=1, keepdims=True)
        guess = p @ joint
    joint = p[:, None] * guess * kernel / (guess * kernel).sum(axis=1, keepdims=True)
    outer = p[:, None] * joint.sum(axis=0)
    seen = joint > 1e-300
    return float((joint[seen] * np.log(joint[seen] / outer[seen])).sum()), float(np.trace(joint))
