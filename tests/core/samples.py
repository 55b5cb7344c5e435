"""Operations applied to the inputs their records give: what the generated tests start from."""

import zlib

import numpy as np

from core import Tensor, grad
from core.library import OPS
from core.library.casting import CAST
from core.recording import apply


class Application:
    """One operation at one sample.

    Attributes:
        arrays: the inputs; None for an empty port.
        wanted: positions of the inputs that take a gradient.
    """

    def __init__(self, spec, sample, arrays=None):
        self.spec, self.params = spec, sample.params
        self.rng = np.random.default_rng(zlib.crc32(repr((spec.name, sample)).encode()))
        self.arrays = list(sample.draw(self.rng) if arrays is None else arrays)
        self.wanted = [
            k for k, x in enumerate(self.arrays) if self._port(k) in spec.vjps and takes_grad(x)
        ]

    def _port(self, k):
        return self.spec.ports[0 if self.spec.variadic else k]

    def of(self, arrays):
        """The floating outputs as arrays, for other values of the wanted inputs."""
        given = list(self.arrays)
        for k, x in zip(self.wanted, arrays, strict=True):
            given[k] = x
        with np.errstate(all="ignore"):
            made = self.spec.forward(*given, **{**self.spec.defaults, **self.params})
        made = made if self.spec.multi_output else (made,)
        return [np.asarray(y) for y in made if np.asarray(y).dtype.kind in "fc"]

    def tensors(self, arrays=None):
        """The wanted inputs as leaves, and the outputs that depend on them."""
        values = [self.arrays[k] for k in self.wanted] if arrays is None else arrays
        given = [None if x is None else Tensor(x) for x in self.arrays]
        leaves = [Tensor(x, requires_grad=True) for x in values]
        for k, leaf in zip(self.wanted, leaves, strict=True):
            given[k] = leaf
        made = apply(self.spec, given, self.params, Tensor)
        made = made if isinstance(made, tuple) else (made,)
        return leaves, [y for y in made if y.requires_grad]

    def point(self):
        return [self.arrays[k] for k in self.wanted]

    def directions(self):
        """A random direction for every wanted input, symmetric where only that part counts."""
        found = []
        for k in self.wanted:
            v = random_like(self.rng, self.arrays[k])
            if self._port(k) in self.spec.symmetric_ports:
                v = (v + np.conj(np.swapaxes(v, -1, -2))) / 2
            found.append(v)
        return found

    def cotangents(self, ys):
        return [random_like(self.rng, y.data) for y in ys]


def takes_grad(x):
    return x is not None and np.asarray(x).dtype.kind in "fc"


def random_like(rng, x):
    v = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        v = v + 1j * rng.standard_normal(x.shape)
    return np.asarray(v, x.dtype)


def inner(a, b):
    """Σ Re(conj(a) b) over lists of arrays."""
    return sum(float(np.sum(np.real(np.conj(x) * y))) for x, y in zip(a, b, strict=True))


def vjp(leaves, ys, cotangents, **options):
    """The VJPs as Tensors, zeros where there is no dependence."""
    found = grad(ys, leaves, cotangents, allow_unused=True, **options)
    return [
        Tensor(np.zeros(x.shape, x.dtype)) if g is None else g
        for x, g in zip(leaves, found, strict=True)
    ]


def slope(function, point, direction, step=1e-4):
    """The derivative of a list of arrays along a direction: central differences, extrapolated."""

    def at(h):
        up = function([x + h * v for x, v in zip(point, direction, strict=True)])
        down = function([x - h * v for x, v in zip(point, direction, strict=True)])
        with np.errstate(invalid="ignore"):
            return [(a - b) / (2 * h) for a, b in zip(up, down, strict=True)]

    return [(4 * near - far) / 3 for near, far in zip(at(step / 2), at(step), strict=True)]


SAMPLES = [(spec, sample) for spec in (*OPS, CAST) for sample in spec.samples if spec.vjps]
IDS = [f"{spec.name}{k}" for spec in (*OPS, CAST) if spec.vjps for k in range(len(spec.samples))]
