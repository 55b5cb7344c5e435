"""A graph as a JAX function and its pullback, ``jax.vjp``.

``spelling`` says how each operation is written, ``program`` puts it together.
"""
