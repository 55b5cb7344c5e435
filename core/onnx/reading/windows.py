"""How windows slide in ONNX: pads at both ends of an axis, or "the same size as before"."""

from __future__ import annotations

from dataclasses import dataclass

from core.importers.building.refs import Untranslatable
from core.onnx.reading.call import Call
from core.onnx.records import Shape


@dataclass(frozen=True, slots=True)
class Window:
    """Windows over the axes after the first two.

    Attributes:
        kernel, strides, dilations: a number an axis.
        begins, ends: elements added at either end.
    """

    kernel: Shape
    strides: Shape
    dilations: Shape
    begins: Shape
    ends: Shape

    @property
    def even(self) -> bool:
        """Whether as much is added at both ends, as torch has it."""
        return self.begins == self.ends

    @property
    def pads(self) -> Shape:
        """Pads of the whole array, as ONNX writes them."""
        return (0, 0, *self.begins, 0, 0, *self.ends)


def window(call: Call, kernel: Shape | None = None) -> Window:
    """The windows of a node, over its first input.

    Args:
        kernel: their size, where the weights have it.

    Raises:
        Untranslatable: there are none, or over more axes than three.
    """
    n = call.x.ndim - 2
    if n not in (1, 2, 3):
        raise Untranslatable(f"it slides over {n} axes; here it may be one, two or three")
    size = call.ints("kernel_shape", n, 1) if kernel is None else kernel
    strides, dilations = call.ints("strides", n, 1), call.ints("dilations", n, 1)
    pads = call.ints("pads", 2 * n, 0)
    begins, ends = pads[:n], pads[n:]
    auto = call.attribute("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        missing = [
            max((-(-length // s) - 1) * s + (k - 1) * d + 1 - length, 0)
            for length, k, s, d in zip(
                call.x.known_shape[2:], size, strides, dilations, strict=True
            )
        ]
        less, more = tuple(m // 2 for m in missing), tuple(m - m // 2 for m in missing)
        begins, ends = (less, more) if auto == "SAME_UPPER" else (more, less)
    elif auto == "VALID":
        begins = ends = (0,) * n
    return Window(size, strides, dilations, begins, ends)


def plain(numbers: Shape) -> int | list[int]:
    """As our operations take them: one number for one axis, a list for two."""
    return numbers[0] if len(numbers) == 1 else list(numbers)
