"""Vector spaces of values, as HIPS's own gradient checker (``autograd.test_util``) wants them."""

import numpy as np
from autograd.differentials import make_jvp, make_vjp

__all__ = ["VSpace", "make_jvp", "make_vjp", "vspace"]


class VSpace:
    """Arrays of one shape and dtype, or tuples of such spaces."""

    def __init__(self, value):
        self.parts = None
        if isinstance(value, tuple | list):
            self.parts = [VSpace(x) for x in value]
        else:
            self.shape = np.shape(value)
            dtype = np.asarray(value).dtype
            self.dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def __repr__(self):
        return repr(self.parts) if self.parts is not None else f"{self.dtype}{self.shape}"

    def _map(self, function, *values):
        if self.parts is not None:
            rows = zip(self.parts, *values, strict=True)
            return tuple(part._map(function, *row) for part, *row in rows)
        return function(self, *values)

    def randn(self):
        """A random element."""

        def draw(space):
            x = np.random.randn(*space.shape)
            if space.dtype.kind == "c":
                x = x + 1j * np.random.randn(*space.shape)
            return space.dtype.type(x)

        return self._map(draw)

    def add(self, a, b):
        return self._map(lambda _, x, y: x + y, a, b)

    def scalar_mul(self, a, factor):
        return self._map(lambda _, x: x * factor, a)

    def covector(self, a):
        return a  # ours are vectors already: see make_vjp

    def inner_prod(self, a, b):
        """Re(conj(a) · b)."""
        if self.parts is not None:
            rows = zip(self.parts, a, b, strict=True)
            return sum(part.inner_prod(x, y) for part, x, y in rows)
        return np.real(np.vdot(a, b))


vspace = VSpace
