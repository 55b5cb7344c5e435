"""A graph as a derivation in LaTeX: the forward step by step, then every VJP with its numbers.

``symbols`` writes names, numbers and formulas; ``derivation`` puts the document together.
"""
