"""Fourier transforms, and the parts of complex numbers.

A discrete Fourier transform is a symmetric matrix, so its plain transpose is the transform itself;
that the VJP of ``fft`` is an ``ifft`` comes from the conjugation that the engine does around every
rule of complex values. What is left to say here is how the cut or padded axis goes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.library.axes import along, as_tuple
from core.library.checks import misfit, require_real
from core.library.indexing import SCATTER
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Shape = tuple[int, ...]

_NORM = Param(
    "norm", "choice", default="backward", choices=("backward", "ortho", "forward", None),
    doc="Which direction divides by n: the inverse, both by √n, or the transform. "
    "None means backward.",
)  # fmt: skip
_PARAMS = (
    Param("n", "int", low=1, doc="Length of the transform, cut or padded with 0; empty for all."),
    Param("axis", "axis", default=-1, doc="Axis along which it is transformed."),
    _NORM,
)  # fmt: skip
_COMPLEX = "The gradient of a complex z is dL/dRe z + i·dL/dIm z."
_CUT = "Along an axis cut to n, the derivative of what was cut off is 0."


def _draw(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """Complex values for samples, away from 0."""
    k = np.arange(1, int(np.prod(shape)) + 1)
    return np.asarray((1 + k % 3) * np.exp(1j * k)).reshape(shape)


def _transform(op: str, function: Callable[..., Array]) -> Callable[..., Array]:
    """``function`` of NumPy along one axis, with errors that name the operation and the shape."""

    def forward(x: Array, n: int | None, axis: int, norm: str | None) -> Array:
        if not x.ndim or not -x.ndim <= axis < x.ndim:
            raise misfit(op, f"it has no axis {axis}", "Choose an axis that x has.", port="x", x=x)
        least = 2 if op == "fft.irfft" else 1
        if (n is None and x.shape[axis] < least) or (n is not None and n < 1):
            length = f"axis {axis} has {x.shape[axis]}" if n is None else f"n is {n}"
            raise misfit(
                op,
                f"{length}, and the transform needs {least if n is None else 1} or more",
                "Set n to the length you want.",
                port="x",
                x=x,
            )
        if op == "fft.rfft":
            require_real(op, x)
        return function(x, n=n, axis=axis, norm=norm)

    return forward


def _resized(z: Array, length: int, shape: Shape, axis: int) -> Array:
    """``z``, of ``length`` along ``axis``, cut or padded with zeros to ``shape``."""
    if length >= shape[axis]:
        return z[along(axis, len(shape), slice(shape[axis]))]
    return SCATTER(z, index=along(axis, len(shape), slice(length)), shape=shape)


# -- transforms of complex values ------------------------------------------------------------------


def _fft_vjp(g: Array, x_shape: Shape, n: int | None, axis: int, norm: str | None) -> Array:
    n = x_shape[axis] if n is None else n
    # Of rfft g has fewer values than n: what the real transform left out is padded with zeros.
    return _resized(FFT(g, n=n, axis=axis, norm=norm), n, x_shape, axis)


FFT: OpSpec = OpSpec(
    name="fft.fft", label="fft", glyph="FFT", category="fft", ports=("x",),
    forward=_transform("fft.fft", np.fft.fft), numpy=(np.fft.fft,), params=_PARAMS,
    vjps={"x": Vjp(_fft_vjp, r"\bar{x}=n\,\mathrm{ifft}(g)\quad(\mathrm{Re}\ \text{if}\ x\ "
                   r"\text{is real})")},
    formula=r"y_k=\sum_j x_j\,e^{-2\pi ijk/n}",
    summary="Discrete Fourier transform along an axis.",
    aliases=("fft",), keywords=("fourier", "spectrum", "frequency", "dft"),
    notes=(_COMPLEX, _CUT),
    samples=(
        Sample((4,)), Sample((2, 5)), Sample((4, 2), axis=0, norm="ortho"), Sample(_draw(4)),
        Sample(_draw(2, 3), n=5, norm="forward"), Sample((5, 2), n=3, axis=-2, norm=None),
    ),
)  # fmt: skip


def _ifft_vjp(g: Array, x_shape: Shape, n: int | None, axis: int, norm: str | None) -> Array:
    n = x_shape[axis] if n is None else n
    return _resized(IFFT(g, n=n, axis=axis, norm=norm), n, x_shape, axis)


IFFT: OpSpec = OpSpec(
    name="fft.ifft", label="ifft", glyph="FFT⁻¹", category="fft", ports=("x",),
    forward=_transform("fft.ifft", np.fft.ifft), numpy=(np.fft.ifft,), params=_PARAMS,
    vjps={"x": Vjp(_ifft_vjp, r"\bar{x}=\frac{1}{n}\,\mathrm{fft}(g)")},
    formula=r"y_j=\frac{1}{n}\sum_k x_k\,e^{2\pi ijk/n}",
    summary="Inverse discrete Fourier transform along an axis.",
    aliases=("ifft",), keywords=("fourier", "inverse", "signal", "dft"), notes=(_COMPLEX, _CUT),
    samples=(
        Sample(_draw(4)), Sample(_draw(2, 5)), Sample(_draw(4, 2), axis=0, norm="ortho"),
        Sample((2, 3)), Sample(_draw(3), n=2), Sample(_draw(3, 2), n=5, axis=0, norm="forward"),
    ),
)  # fmt: skip


def _fft2(x: Array, axes: Sequence[int], norm: str | None) -> Array:
    axes = as_tuple(axes)
    if len(axes) != 2 or any(not -x.ndim <= axis < x.ndim or not x.shape[axis] for axis in axes):
        raise misfit(
            "fft.fft2",
            f"it needs two axes with elements, not {list(axes)}",
            "Give it an array of two axes or more, or choose other axes.",
            port="x",
            x=x,
        )
    return np.fft.fft2(x, axes=axes, norm=norm)  # type: ignore[arg-type]


FFT2: OpSpec = OpSpec(
    name="fft.fft2", label="fft2", glyph="FFT2", category="fft", ports=("x",),
    forward=_fft2, numpy=(np.fft.fft2,),
    params=(Param("axes", "ints", default=(-2, -1), doc="The two axes."), _NORM),
    vjps={
        "x": Vjp(
            lambda g, axes, norm: FFT2(g, axes=axes, norm=norm),
            r"\bar{x}=n_1n_2\,\mathrm{ifft2}(g)\quad(\mathrm{Re}\ \text{if}\ x\ \text{is real})",
        )
    },
    formula=r"y_{kl}=\sum_{j,m}x_{jm}\,e^{-2\pi i(jk/n_1+ml/n_2)}",
    summary="Discrete Fourier transform over two axes.",
    aliases=("fft2",), keywords=("fourier", "image", "spectrum", "frequency"), notes=(_COMPLEX,),
    samples=(
        Sample((3, 4)), Sample(_draw(2, 3)), Sample((2, 3, 2), axes=(0, 1), norm="forward"),
        Sample(_draw(2, 2, 3), norm="ortho"),
    ),
)  # fmt: skip

# -- transforms of real values ---------------------------------------------------------------------

RFFT = OpSpec(
    name="fft.rfft", label="rfft", glyph="rFFT", category="fft", ports=("x",),
    forward=_transform("fft.rfft", np.fft.rfft), numpy=(np.fft.rfft,), params=_PARAMS,
    vjps={
        "x": Vjp(
            _fft_vjp,
            r"\bar{x}=\mathrm{Re}\left(n\,\mathrm{ifft}(g\ \text{zero-padded to}\ n)\right)",
        )
    },
    formula=r"y=\mathrm{fft}(x)_{0\ldots\lfloor n/2\rfloor},\quad x\ \text{real}",
    summary="Fourier transform of real values: the half that says it all.",
    aliases=("rfft",), keywords=("fourier", "spectrum", "frequency", "real"),
    domain="real values", notes=(_COMPLEX, _CUT),
    samples=(
        Sample((4,)), Sample((2, 5)), Sample((4, 2), axis=0, norm="ortho"), Sample((5,), n=8),
        Sample((6,), n=3, norm="forward"),
    ),
)  # fmt: skip


def _irfft_vjp(g: Array, x_shape: Shape, n: int | None, axis: int, norm: str | None) -> Array:
    n = 2 * (x_shape[axis] - 1) if n is None else n
    bins = n // 2 + 1
    # Every bin stands for its mirror image too, but for the mean and the bin of half the length.
    copies = np.where((np.arange(bins) == 0) | (2 * np.arange(bins) == n), 1.0, 2.0)
    copies = copies.reshape((-1,) + (1,) * (len(x_shape) - 1 - axis % len(x_shape)))
    spectrum = IFFT(g, n=n, axis=axis, norm=norm)[along(axis, len(x_shape), slice(bins))]
    return _resized(copies * spectrum, bins, x_shape, axis)


IRFFT = OpSpec(
    name="fft.irfft", label="irfft", glyph="rFFT⁻¹", category="fft", ports=("x",),
    forward=_transform("fft.irfft", np.fft.irfft), numpy=(np.fft.irfft,), params=_PARAMS,
    vjps={
        "x": Vjp(
            _irfft_vjp,
            r"\bar{x}_k=\frac{c_k}{n}\,\mathrm{rfft}(g)_k,\quad "
            r"c_k=1\ \text{for}\ k=0\ \text{and}\ k=n/2,\ \text{else}\ 2",
        )
    },
    formula=r"y_j=\frac{1}{n}\sum_k c_k\,\mathrm{Re}\left(x_k\,e^{2\pi ijk/n}\right)",
    summary="Real signal of half a spectrum, the inverse of rfft.",
    aliases=("irfft",), keywords=("fourier", "inverse", "signal", "real"),
    notes=(
        _COMPLEX,
        "n is even unless given. The imaginary parts of bins 0 and n/2 do not count.",
    ),
    samples=(
        Sample(_draw(4)), Sample(_draw(2, 4)), Sample(_draw(4, 2), axis=0, norm="ortho"),
        Sample(_draw(4), n=7), Sample(_draw(5), n=4), Sample(_draw(2, 3), n=8, norm="forward"),
        Sample((3,)),
    ),
)  # fmt: skip

# -- parts of complex numbers ----------------------------------------------------------------------

_NUMBERS = (Sample(_draw(3)), Sample(_draw(2, 2)), Sample(_draw()), Sample((3,)))

REAL = OpSpec(
    name="real", label="real", glyph="Re", category="fft", ports=("x",), elementwise=True,
    forward=np.real, numpy=(np.real,),
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=g+0i")},
    formula=r"y=\mathrm{Re}\,x", summary="Real part.", keywords=("complex",),
    notes=(_COMPLEX,), samples=_NUMBERS,
)  # fmt: skip

# These two are not marked elementwise: the rule's result is complex also for a real x, and the
# engine's short path for elementwise operations would not cast it to x's dtype.

IMAG = OpSpec(
    name="imag", label="imag", glyph="Im", category="fft", ports=("x",),
    forward=np.imag, numpy=(np.imag,),
    vjps={"x": Vjp(lambda g: np.multiply(g, -1j), r"\bar{x}=0+ig")},
    formula=r"y=\mathrm{Im}\,x", summary="Imaginary part.", keywords=("complex",),
    notes=(_COMPLEX, "Of real values it is 0, and so is the derivative."), samples=_NUMBERS,
)  # fmt: skip


def _angle_vjp(g: Array, x: Array) -> Array:
    origin = x == 0
    return np.where(origin, 0.0, np.multiply(g, -1j) / np.where(origin, 1.0, x))


ANGLE = OpSpec(
    name="angle", label="angle", glyph="∠", category="fft", ports=("x",),
    forward=np.angle, numpy=(np.angle,),
    vjps={
        "x": Vjp(
            _angle_vjp, r"\bar{x}=g\,\frac{-\mathrm{Im}\,x+i\,\mathrm{Re}\,x}{|x|^{2}}"
        )
    },
    formula=r"y=\arg x", summary="Angle of a complex number, in radians.",
    aliases=("arg",), keywords=("phase", "argument", "complex", "polar"), domain="x ≠ 0",
    notes=(_COMPLEX, "x = 0, and real x: the derivative is 0."), samples=_NUMBERS,
)  # fmt: skip

CONJ = OpSpec(
    name="conj", label="conj", glyph="x̄", category="fft", ports=("x",), elementwise=True,
    forward=np.conj, numpy=(np.conj,),
    vjps={"x": Vjp(lambda g: np.conj(g), r"\bar{x}=\bar{g}")},
    formula=r"y=\bar{x}", summary="Complex conjugate.",
    aliases=("conjugate", "conj_physical"), keywords=("complex",), notes=(_COMPLEX,),
    samples=_NUMBERS,
)  # fmt: skip

OPS = (FFT, IFFT, RFFT, IRFFT, FFT2, REAL, IMAG, CONJ, ANGLE)
