"""The colours of the program, in two themes, and the meaning of the gradient colours.

Blue and orange mean gradient (negative and positive) and nothing else: no category, button or
selection uses them. Text on a category's header is chosen by contrast, see ``header_text``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from PySide6.QtGui import QColor

#: How much white the top of a header is mixed with.
HEADER_HIGHLIGHT = 0.10

# One hue a family. The elementwise families are greyish relatives of one slate, so that what
# changes shapes or mixes elements stands out. "data" and "parameter" are inputs, "graph" is
# detach, cast and unknown operations, "function" is functions with their arguments and results.
_CATEGORIES = {
    "arithmetic": "#566585",
    "exponential": "#615E8C",
    "trigonometry": "#476774",
    "special": "#705D7B",
    "activation": "#586860",
    "reduction": "#297242",
    "cumulative": "#287055",
    "linalg": "#A04689",
    "shape": "#666745",
    "indexing": "#556B35",
    "fft": "#874AB0",
    "nn": "#AA4265",
    "data": "#137067",
    "parameter": "#694BD7",
    "graph": "#535A69",
    "function": "#473F63",
}
#: Colours a frame may have, by the key that files keep.
FRAME_COLORS = {
    "grey": "#7C869E",
    "blue": "#5E7CB8",
    "teal": "#1F9486",
    "green": "#3C9A5B",
    "olive": "#8A8C4F",
    "rose": "#C8567B",
    "violet": "#7F63E6",
}
_DARK_HEADER_TEXT = QColor("#171C28")
_LIGHT_HEADER_TEXT = QColor("#FFFFFF")


@dataclass(frozen=True, eq=False)
class Theme:
    """Every colour of one theme.

    Attributes:
        name: ``"dark"`` or ``"light"``.
        background, background_lift: of the canvas, at its rim and in its middle.
        grid_dot: the dots behind the graph.
        surface, surface_raised: of nodes and panels, and of what lies on them.
        border: hairlines.
        text, text_muted, text_faint: by importance; the faintest still reads at 3.5:1.
        outline_faint: dotted and hatched marks, never text.
        wire, port: unlit.
        negative, neutral, positive: the gradient scale.
        error, error_text: of rings and badges, and of words.
        warning: something to look at, not wrong.
        active: ring of the node that fires.
        accent: the one colour of selection, focus and primary buttons.
        pill: ground of travelling labels.
        chip: ground of small tags.
        shadow: of nodes and floating panels.
        shadow_strength: opacity of one of the many layers that make a shadow.
        categories: header colour of every category of operations.
    """

    name: str
    background: QColor
    background_lift: QColor
    grid_dot: QColor
    surface: QColor
    surface_raised: QColor
    border: QColor
    text: QColor
    text_muted: QColor
    text_faint: QColor
    outline_faint: QColor
    wire: QColor
    port: QColor
    negative: QColor
    neutral: QColor
    positive: QColor
    error: QColor
    error_text: QColor
    warning: QColor
    active: QColor
    accent: QColor
    pill: QColor
    chip: QColor
    shadow: QColor
    shadow_strength: float
    categories: Mapping[str, QColor]

    @property
    def is_dark(self) -> bool:
        """Whether light text lies on dark ground."""
        return self.name == "dark"

    def header(self, category: str) -> tuple[QColor, QColor]:
        """Top and bottom colour of a category's header, the highlight included."""
        base = self.categories.get(category, self.categories["graph"])
        return mix(base, QColor("#FFFFFF"), HEADER_HIGHLIGHT), base

    def header_text(self, category: str) -> QColor:
        """White or near-black, whichever reads better anywhere on the header."""
        ground = self.header(category)
        return max(
            (_LIGHT_HEADER_TEXT, _DARK_HEADER_TEXT),
            key=lambda text: min(contrast(text, color) for color in ground),
        )

    def frame_color(self, key: str) -> QColor:
        """Colour of frames with this key; grey for a key of some other version."""
        return QColor(FRAME_COLORS.get(key, FRAME_COLORS["grey"]))

    def gradient_color(self, signed: float) -> QColor:
        """Colour of a gradient.

        Args:
            signed: magnitude from 0 to 1 (``magnitude``) times the sign; see
                ``signed_magnitude``. NaN counts as an error.
        """
        return self._towards_end(self.neutral, signed)

    def gradient_text(self, signed: float) -> QColor:
        """As ``gradient_color``, but never paler than muted text: for numbers."""
        return self._towards_end(self.text_muted, signed)

    def _towards_end(self, middle: QColor, signed: float) -> QColor:
        if math.isnan(signed):
            return self.error
        end = self.positive if signed >= 0 else self.negative
        return mix(middle, end, min(1.0, abs(signed)) ** 0.8)


def magnitude(rms: float) -> float:
    """Where a gradient's size lies on the log scale: 0.001 and less is 0, 10 and more is 1."""
    if math.isnan(rms):
        return math.nan
    return min(1.0, max(0.0, (math.log10(rms) + 3.0) / 4.0)) if rms > 0 else 0.0


def signed_magnitude(mean: float, rms: float) -> float:
    """Magnitude with the side that the array leans to; 0 for one that leans to neither."""
    if not rms > 0 or math.isinf(rms):
        return math.nan if math.isnan(rms) else math.copysign(magnitude(rms), mean)
    return magnitude(rms) * (mean / rms)


def mix(first: QColor, second: QColor, amount: float) -> QColor:
    """``first`` with ``amount`` (0 to 1) of ``second``; opaque."""
    return QColor(
        round(first.red() + (second.red() - first.red()) * amount),
        round(first.green() + (second.green() - first.green()) * amount),
        round(first.blue() + (second.blue() - first.blue()) * amount),
    )


def faded(color: QColor, alpha: float) -> QColor:
    """The colour with an opacity from 0 to 1."""
    result = QColor(color)
    result.setAlphaF(alpha)
    return result


def contrast(first: QColor, second: QColor) -> float:
    """WCAG contrast of two opaque colours, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: QColor) -> float:
    channels = (color.redF(), color.greenF(), color.blueF())
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _categories(loss: str) -> dict[str, QColor]:
    return {name: QColor(value) for name, value in {**_CATEGORIES, "loss": loss}.items()}


@cache
def dark() -> Theme:
    """Light on near-black blue."""
    return Theme(
        name="dark",
        background=QColor("#0E1117"),
        background_lift=QColor("#151A24"),
        grid_dot=QColor("#2A3140"),
        surface=QColor("#1A1F2B"),
        surface_raised=QColor("#212736"),
        border=QColor("#313A4E"),
        text=QColor("#EEF1F8"),
        text_muted=QColor("#98A2B8"),
        text_faint=QColor("#7C869E"),
        outline_faint=QColor("#5A6479"),
        wire=QColor("#465069"),
        port=QColor("#A9B4C8"),
        negative=QColor("#4AA8FF"),
        neutral=QColor("#8A93A6"),
        positive=QColor("#FF9A3D"),
        error=QColor("#FF5D73"),
        error_text=QColor("#FF9AA7"),
        warning=QColor("#E8C15A"),
        active=QColor("#FFE3B0"),
        accent=QColor("#8E78FF"),
        pill=QColor("#0B0E14"),
        chip=QColor("#2A3142"),
        shadow=QColor("#000000"),
        shadow_strength=0.0125,
        categories=_categories(loss="#E9ECF5"),
    )


@cache
def light() -> Theme:
    """Dark on a cool white."""
    return Theme(
        name="light",
        background=QColor("#EFF2F8"),
        background_lift=QColor("#FAFBFE"),
        grid_dot=QColor("#CBD2E0"),
        surface=QColor("#FFFFFF"),
        surface_raised=QColor("#F4F6FB"),
        border=QColor("#D3D9E6"),
        text=QColor("#1A2030"),
        text_muted=QColor("#5D6780"),
        text_faint=QColor("#78829A"),
        outline_faint=QColor("#A3ABBD"),
        wire=QColor("#B3BCCD"),
        port=QColor("#7D889F"),
        negative=QColor("#1668C7"),
        neutral=QColor("#9BA3B4"),
        positive=QColor("#C2570C"),
        error=QColor("#D0213E"),
        error_text=QColor("#B81A35"),
        warning=QColor("#8A6200"),
        active=QColor("#27314F"),
        accent=QColor("#6446E0"),
        pill=QColor("#FFFFFF"),
        chip=QColor("#E9EDF5"),
        shadow=QColor("#1B2A55"),
        shadow_strength=0.0030,
        categories=_categories(loss="#232A3D"),
    )
