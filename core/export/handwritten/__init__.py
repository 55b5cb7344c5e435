"""A graph as NumPy: the forward and every VJP written out, no tape, no library.

``rules`` writes one formula; ``folding`` finds the formula a rule is for given shapes and
parameters, ``source`` its syntax tree, ``helpers`` quotes the functions that are no formula;
``backward`` walks the nodes; ``program`` puts it together.
"""
