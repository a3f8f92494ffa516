"""Loops that write, and the protocol by which they publish what they rendered."""
