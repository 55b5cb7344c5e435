"""The operation library: one record an operation, and the order in which the palette shows them.

A family is a module with a tuple ``OPS``. Adding an operation touches its family only; adding a
family, this list.
"""

from __future__ import annotations

from core.library import (
    activation,
    arithmetic,
    attention,
    bilinear_maps,
    channel_norm,
    class_loss,
    convolution,
    cumulative,
    decompositions,
    determinants,
    einsum,
    exponential,
    extremes,
    flipped_convolution,
    fourier,
    indexing,
    joining,
    layers,
    layout,
    likelihood_loss,
    loss,
    margin_loss,
    matrix_functions,
    normalization,
    norms,
    piecewise,
    pooling,
    probability_loss,
    products,
    rectifiers,
    recurrent,
    reduction,
    resampling,
    selection,
    shape,
    solving,
    special,
    spectra,
    transposed_convolution,
    trigonometry,
)
from core.library.spec import OpSpec, Param, Sample, Vjp

#: Palette groups: id and title, in order.
CATEGORIES: dict[str, str] = {
    "arithmetic": "Arithmetic",
    "exponential": "Exponentials and logarithms",
    "trigonometry": "Trigonometric and hyperbolic",
    "special": "Special functions",
    "reduction": "Reductions",
    "cumulative": "Cumulative",
    "linalg": "Linear algebra",
    "shape": "Shape",
    "indexing": "Indexing and selection",
    "fft": "Fourier and complex",
    "activation": "Activations",
    "loss": "Losses",
    "nn": "Neural-network layers",
}

_FAMILIES = (
    arithmetic, piecewise, exponential, trigonometry, special, reduction, extremes, cumulative,
    products, einsum, solving, matrix_functions, determinants, decompositions, spectra, norms,
    shape, joining, layout, indexing, selection, fourier, activation, rectifiers, loss,
    likelihood_loss, class_loss, probability_loss, margin_loss, layers, convolution,
    transposed_convolution, flipped_convolution, bilinear_maps, pooling, normalization,
    channel_norm, attention, recurrent, resampling,
)  # fmt: skip

#: Every operation's record, hidden ones included, in the order of the palette.
OPS: tuple[OpSpec, ...] = tuple(
    spec
    for category in CATEGORIES
    for family in _FAMILIES
    for spec in family.OPS
    if spec.category == category
)

__all__ = ["CATEGORIES", "OPS", "OpSpec", "Param", "Sample", "Vjp"]
