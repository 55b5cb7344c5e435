"""Fourier transforms, and the parts of complex numbers.

The cotangent of a complex z is dL/dRe z + i dL/dIm z, torch's convention. A rule here is the plain
transpose; the engine conjugates its cotangent and its result (see ``Vjp``). The matrix of a
discrete Fourier transform is symmetric, so the transpose of ``fft`` is ``fft`` again.

Source: NumPy's conventions for n, axis and norm; torch.fft for the gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

#: The norm whose scale on the forward transform is this norm's scale on the inverse.
_DUAL = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
_NORM = Param(
    "norm", "choice", "backward", "Which direction is divided by n.", choices=tuple(_DUAL)
)
_N = Param(
    "n", "int", None, "Length of the transform: the input is cropped or padded to it.", low=1
)
_AXIS = Param("axis", "axis", -1, "Axis to transform.")


def _complex_sample(*shape: int) -> np.ndarray[Any, Any]:
    """Fixed complex values of that shape, away from zero."""
    k = np.arange(1.0, 1 + int(np.prod(shape)))
    return np.asarray(np.cos(3 * k) + 0.5 + 1j * np.sin(5 * k)).reshape(shape)


def _checked(name: str, transform: Callable[..., Any]) -> Callable[..., Any]:
    """``transform`` of an input with at least one axis."""

    def forward(x: Array, **params: Any) -> Any:
        if x.ndim == 0:
            raise OperandError(
                f"{name} needs an axis to transform; x has none (shape ()).",
                next_step="Give it a vector or a larger array.",
                port="x",
            )
        return transform(x, **params)

    return forward


def _resized(x: Array, length: int, axis: int) -> Array:
    """``x`` cropped or padded with zeros at the end of an axis."""
    if x.shape[axis] == length:
        return x
    axis %= x.ndim
    keep = tuple(slice(length) if i == axis else slice(None) for i in range(x.ndim))
    if x.shape[axis] > length:
        return x[keep]
    shape = tuple(length - n if i == axis else n for i, n in enumerate(x.shape))
    return np.concatenate([x, np.zeros(shape, x.dtype)], axis=axis)


def _transposed_rfft(g: Array, x_shape: tuple[int, ...], n: Any, axis: int, norm: str) -> Array:
    n = x_shape[axis] if n is None else n
    whole = FFT(_resized(g, n, axis), axis=axis, norm=norm)
    return _resized(whole, x_shape[axis], axis)


def _transposed_irfft(
    g: Array, x_shape: tuple[int, ...], y_shape: tuple[int, ...], axis: int, norm: str
) -> Array:
    # Every bin but the first (and the last of an even length) stands for its mirror image, too.
    n = y_shape[axis]
    twice = np.full(n // 2 + 1, 2.0, dtype=g.dtype)
    twice[0] = 1.0
    if n % 2 == 0:
        twice[-1] = 1.0
    along = [1] * len(x_shape)
    along[axis] = twice.size
    bins = RFFT(g, axis=axis, norm=_DUAL[norm]) * twice.reshape(along)
    return CONJ(_resized(bins, x_shape[axis], axis))


FFT: OpSpec = OpSpec(
    name="fft.fft", label="fft", glyph="ℱ", category="fft", ports=("x",),
    forward=_checked("fft.fft", np.fft.fft),
    vjps={
        "x": Vjp(
            lambda g, x_shape, axis, norm: _resized(
                FFT(g, axis=axis, norm=norm), x_shape[axis], axis
            ),
            r"\bar{x}=n\,\mathrm{ifft}(g)",
        )
    },
    formula=r"y_k=\sum_j x_j e^{-2\pi ijk/n}",
    summary="Discrete Fourier transform.",
    params=(_N, _AXIS, _NORM), numpy=(np.fft.fft,), aliases=("fft",),
    keywords=("fourier", "frequency", "spectrum"),
    notes=("A real x gets the real part of the VJP.",),
    samples=(
        Sample(_complex_sample(4)), Sample((2, 5)), Sample((5,), n=3), Sample((3,), n=4),
        Sample((4, 2), axis=0, norm="ortho"), Sample((3,), norm="forward"),
    ),
)  # fmt: skip

IFFT: OpSpec = OpSpec(
    name="fft.ifft", label="ifft", glyph="ℱ⁻¹", category="fft", ports=("x",),
    forward=_checked("fft.ifft", np.fft.ifft),
    vjps={
        "x": Vjp(
            lambda g, x_shape, axis, norm: _resized(
                IFFT(g, axis=axis, norm=norm), x_shape[axis], axis
            ),
            r"\bar{x}=\frac{1}{n}\,\mathrm{fft}(g)",
        )
    },
    formula=r"y_j=\frac{1}{n}\sum_k x_k e^{2\pi ijk/n}",
    summary="Inverse discrete Fourier transform.",
    params=(_N, _AXIS, _NORM), numpy=(np.fft.ifft,), aliases=("ifft",),
    keywords=("fourier", "frequency"),
    samples=(
        Sample(_complex_sample(4)), Sample((2, 3)), Sample((5,), n=3),
        Sample(_complex_sample(4, 2), axis=0, norm="ortho"), Sample((3,), n=4, norm="forward"),
    ),
)  # fmt: skip

RFFT: OpSpec = OpSpec(
    name="fft.rfft", label="rfft", glyph="ℱᵣ", category="fft", ports=("x",),
    forward=_checked("fft.rfft", np.fft.rfft),
    vjps={
        "x": Vjp(
            _transposed_rfft, r"\bar{x}=\mathrm{Re}\left(n\,\mathrm{ifft}(g,\ \text{padded})\right)"
        )
    },
    formula=r"y=\mathrm{fft}(x)_{0\ldots\lfloor n/2\rfloor}",
    summary="Fourier transform of real values: the first half of the bins.",
    params=(_N, _AXIS, _NORM), numpy=(np.fft.rfft,), aliases=("rfft",),
    keywords=("fourier", "real", "frequency"), domain="real x",
    samples=(
        Sample((4,)), Sample((2, 5)), Sample((5,), n=4), Sample((3,), n=6, norm="ortho"),
        Sample((4, 2), axis=0, norm="forward"),
    ),
)  # fmt: skip

IRFFT: OpSpec = OpSpec(
    name="fft.irfft", label="irfft", glyph="ℱᵣ⁻¹", category="fft", ports=("x",),
    forward=_checked("fft.irfft", np.fft.irfft),
    vjps={
        "x": Vjp(
            _transposed_irfft,
            r"\bar{x}=\frac{1}{n}c_k\,\mathrm{rfft}(g),\ c_k=1\text{ for the first and (n even) "
            r"last bin, else }2",
        )
    },
    formula=r"y=\text{real inverse of rfft, length }n",
    summary="Inverse of rfft: real values from half the bins.",
    params=(_N, _AXIS, _NORM), numpy=(np.fft.irfft,), aliases=("irfft",),
    keywords=("fourier", "real"),
    notes=("The imaginary parts of the first and (n even) last bin do not count.",),
    samples=(
        Sample(_complex_sample(3)), Sample(_complex_sample(3), n=5),
        Sample(_complex_sample(4), n=4), Sample(_complex_sample(3), norm="forward"),
        Sample(_complex_sample(3, 2), axis=0, norm="ortho"),
    ),
)  # fmt: skip

FFT2: OpSpec = OpSpec(
    name="fft.fft2", label="fft2", glyph="ℱ₂", category="fft", ports=("x",),
    forward=_checked("fft.fft2", np.fft.fft2),
    vjps={
        "x": Vjp(
            lambda g, axes, norm: FFT2(g, axes=axes, norm=norm),
            r"\bar{x}=n_1n_2\,\mathrm{ifft2}(g)",
        )
    },
    formula=r"y=\text{fft over two axes}",
    summary="Two-dimensional Fourier transform.",
    params=(Param("axes", "ints", (-2, -1), "The two axes to transform."), _NORM),
    numpy=(np.fft.fft2,), aliases=("fft2",), keywords=("fourier", "image"),
    samples=(
        Sample(_complex_sample(2, 3)), Sample((3, 2, 2)), Sample((2, 3, 2), axes=(0, 1)),
        Sample((2, 2), norm="ortho"),
    ),
)  # fmt: skip

CONJ = OpSpec(
    name="conj", label="conj", glyph="x̄", category="fft", ports=("x",), elementwise=True,
    forward=np.conj,
    vjps={"x": Vjp(lambda g: np.conj(g), r"\bar{x}=\overline{g}")},
    formula=r"y=\overline{x}", summary="Complex conjugate.",
    numpy=(np.conj,), aliases=("conjugate",), keywords=("complex",),
    samples=(Sample(_complex_sample(3)), Sample((2, 3))),
)  # fmt: skip

REAL = OpSpec(
    name="real", label="real part", glyph="Re", category="fft", ports=("x",), elementwise=True,
    forward=np.real,
    vjps={"x": Vjp(lambda g: g, r"\bar{x}=g+0i")},
    formula=r"y=\mathrm{Re}\,x", summary="Real part.",
    numpy=(np.real,), keywords=("complex",),
    samples=(Sample(_complex_sample(3)), Sample((2, 3))),
)  # fmt: skip

IMAG = OpSpec(
    name="imag", label="imaginary part", glyph="Im", category="fft", ports=("x",),
    elementwise=True, forward=np.imag,
    vjps={"x": Vjp(lambda g: -1j * g, r"\bar{x}=0+ig")},
    formula=r"y=\mathrm{Im}\,x", summary="Imaginary part.",
    numpy=(np.imag,), keywords=("complex",), notes=("Zero for a real x.",),
    samples=(Sample(_complex_sample(3)), Sample((2, 3))),
)  # fmt: skip


def _turned(g: Array, x: Array) -> Array:
    square = REAL(x * CONJ(x))
    away = square != 0
    return np.where(away, -1j * g * CONJ(x) / np.where(away, square, 1.0), 0.0)


ANGLE = OpSpec(
    name="angle", label="angle", glyph="arg", category="fft", ports=("x",), elementwise=True,
    forward=np.angle,
    vjps={
        "x": Vjp(
            _turned, r"\bar{x}=g\,\frac{-\mathrm{Im}\,x+i\,\mathrm{Re}\,x}{|x|^{2}}"
        )
    },
    formula=r"y=\arg x", summary="Angle of a complex number, in radians.",
    numpy=(np.angle,), aliases=("arg",), keywords=("complex", "phase"),
    notes=("At 0 the VJP is 0; for a real x it is 0 everywhere.",),
    samples=(Sample(_complex_sample(3)), Sample((2, 3))),
)  # fmt: skip

OPS = (FFT, IFFT, RFFT, IRFFT, FFT2, REAL, IMAG, CONJ, ANGLE)
