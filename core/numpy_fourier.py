"""``np.fft``'s transforms over several axes: one axis after the other, each an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any


def _over_axes(one: Callable[..., Array], default: Any = None) -> Callable[..., Array]:
    """``fftn`` and its like."""

    def transform(a: Array, s: Any = None, axes: Any = default, norm: Any = None) -> Array:
        for n, axis in _lengths(a, s, axes):
            a = one(a, n, axis, norm)
        return a

    return transform


def _lengths(a: Array, s: Any, axes: Any) -> list[tuple[int | None, int]]:
    """(length, axis) of every transform."""
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(np.ndim(a))
    axes = tuple(axes)
    return list(zip(s if s is not None else (None,) * len(axes), axes, strict=True))


def _rfftn(default: Any = None) -> Callable[..., Array]:
    def transform(a: Array, s: Any = None, axes: Any = default, norm: Any = None) -> Array:
        *others, (n, axis) = _lengths(a, s, axes)
        a = np.fft.rfft(a, n, axis, norm)
        for n, axis in others:
            a = np.fft.fft(a, n, axis, norm)
        return a

    return transform


def _irfftn(default: Any = None) -> Callable[..., Array]:
    def transform(a: Array, s: Any = None, axes: Any = default, norm: Any = None) -> Array:
        *others, (n, axis) = _lengths(a, s, axes)
        for length, other in others:
            a = np.fft.ifft(a, length, other, norm)
        return np.fft.irfft(a, n, axis, norm)

    return transform


def _shifted(back: bool) -> Callable[..., Array]:
    def shift(x: Array, axes: Any = None) -> Array:
        axes = range(np.ndim(x)) if axes is None else (axes,) if isinstance(axes, int) else axes
        half = [np.shape(x)[k] // 2 for k in axes]
        return np.roll(x, tuple(-h if back else h for h in half), axis=tuple(axes))

    return shift


FOURIER: dict[Callable[..., Any], Callable[..., Any]] = {
    np.fft.fft2: _over_axes(lambda *a: np.fft.fft(*a), (-2, -1)),
    np.fft.fftn: _over_axes(lambda *a: np.fft.fft(*a)),
    np.fft.ifftn: _over_axes(lambda *a: np.fft.ifft(*a)),
    np.fft.ifft2: _over_axes(lambda *a: np.fft.ifft(*a), (-2, -1)),
    np.fft.rfftn: _rfftn(),
    np.fft.rfft2: _rfftn((-2, -1)),
    np.fft.irfftn: _irfftn(),
    np.fft.irfft2: _irfftn((-2, -1)),
    np.fft.fftshift: _shifted(back=False),
    np.fft.ifftshift: _shifted(back=True),
}
