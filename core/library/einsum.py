"""Einstein summation: every product and sum of axes in one notation."""

from __future__ import annotations

import string

import numpy as np

from core.errors import OperandError
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Shapes = tuple[tuple[int, ...], ...]


def _einsum(*xs: Array, subscripts: str) -> Array:
    try:
        return np.einsum(subscripts, *xs, optimize=len(xs) > 1)
    except ValueError as error:
        given = ", ".join(f"xs[{k}] is {np.shape(x)}" for k, x in enumerate(xs))
        raise OperandError(
            f"einsum: '{subscripts}' does not fit: {given}. {error}.".replace("..", "."),
            next_step="Write one letter for each axis, one group for each input: 'ij,jk->ik'.",
        ) from None


def explicit(subscripts: str, ndims: list[int]) -> tuple[list[str], str]:
    """The letters of each input and of the output, with letters instead of an ellipsis.

    Args:
        subscripts: as NumPy takes them, with or without "->".
        ndims: number of axes of each input.
    """
    text = subscripts.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    spare = [c for c in string.ascii_letters if c not in text]
    hidden = [n - len(term.replace("...", "")) for term, n in zip(inputs, ndims, strict=True)]
    ellipses = [n for term, n in zip(inputs, hidden, strict=True) if "..." in term]
    dots = "".join(spare[: max(ellipses, default=0)])
    terms = [
        term.replace("...", dots[len(dots) - n :]) for term, n in zip(inputs, hidden, strict=True)
    ]
    if not arrow:
        letters = "".join(inputs).replace("...", "")
        output = "..." + "".join(sorted(c for c in letters if letters.count(c) == 1))
    return terms, output.replace("...", dots)


def _einsum_slope(
    g: Array, xs: tuple[Array, ...], xs_shapes: Shapes, subscripts: str, k: int
) -> Array:
    terms, output = explicit(subscripts, [len(shape) for shape in xs_shapes])
    wanted = terms[k]
    others = [n for n in range(len(terms)) if n != k]
    letters = "".join(dict.fromkeys(wanted))
    # Letters that only this input has were summed away: their axes are repeated below.
    known = [c for c in letters if c in output or any(c in terms[n] for n in others)]
    left = ",".join([output, *(terms[n] for n in others)])
    part = EINSUM(g, *(xs[n] for n in others), subscripts=f"{left}->{''.join(known)}")
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, xs_shapes, strict=True):
        for c, size in zip(term, shape, strict=True):
            sizes[c] = size if sizes.get(c, 1) == 1 else sizes[c]
    full = tuple(sizes[c] for c in letters)
    part = part.reshape([sizes[c] if c in known else 1 for c in letters])
    part = np.broadcast_to(part, full)
    return part if letters == wanted else _onto_diagonal(part, letters, wanted, sizes)


def _onto_diagonal(part: Array, letters: str, wanted: str, sizes: dict[str, int]) -> Array:
    """Repeat axes as in "ii": the values lie where the repeated indices agree, 0 elsewhere."""
    first = [wanted.index(c) for c in letters]
    part = part.reshape([sizes[c] if i in first else 1 for i, c in enumerate(wanted)])
    grids = np.ogrid[tuple(slice(sizes[c]) for c in wanted)]
    agree = np.ones((1,) * len(wanted), dtype=bool)
    for i, c in enumerate(wanted):
        agree = agree & (grids[i] == grids[wanted.index(c)])
    return np.where(agree, part, 0.0)


EINSUM = OpSpec(
    name="einsum",
    label="einsum",
    glyph="Σ",
    category="linalg",
    ports=("xs",),
    variadic=True,
    forward=_einsum,
    numpy=(np.einsum,),
    vjps={
        "xs": Vjp(
            _einsum_slope,
            r"\bar{x}_k=\mathrm{einsum\ of}\ g\ \mathrm{and\ the\ other\ inputs},\ "
            r"\mathrm{onto\ the\ indices\ of}\ x_k",
        ),
    },
    formula=r"y=\sum_{\mathrm{indices\ not\ in\ the\ output}}\ \prod_k x_k",
    summary="Products summed over the indices that the output lacks.",
    params=(Param("subscripts", "text", "ij,jk->ik", "One letter an axis: inputs -> output."),),
    keywords=("einstein", "contraction", "trace", "diagonal", "batch"),
    notes=("An ellipsis (...) stands for axes that broadcast.",),
    samples=(
        Sample((2, 3), (3, 2)),
        Sample((3,), (3,), subscripts="i,i->"),
        Sample((2, 2, 3), (2, 3, 2), subscripts="bij,bjk->bik"),
        Sample((2, 3), subscripts="ij->ji"),
        Sample((3, 3), subscripts="ii->i"),
        Sample((3, 3), subscripts="ii"),
        Sample((2, 3), (3,), (2,), subscripts="ij,j,i->"),
        Sample((2, 3, 2), (4, 2), subscripts="...j,kj->...k"),
        Sample((2, 3), subscripts="ij->j"),
        Sample((2, 3), (3, 2), subscripts="ij,jk"),
        Sample((2, 2, 3), subscripts="iij->ij"),
    ),
)

OPS = (EINSUM,)
