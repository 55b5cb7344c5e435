"""The canvas: one widget that paints graphs of any size and gradients flowing through them.

Reading order: ``geometry`` (a graph as arrays), ``facts`` and ``content`` (what is said about a
node), ``picture`` (all that is shown), ``node_painter`` and ``wire_painter`` (how it looks),
``static_layer`` and ``pulses`` (what stands still and what moves), ``lifted`` (what is dragged).
Then the widget, from the paint upwards: ``layers`` (painting), ``surface`` (what is shown),
``viewport`` (looking around), ``canvas`` (mouse and keyboard).
"""

from app.canvas.canvas import Canvas
from app.canvas.hit import Hit
from app.canvas.image import render_image

__all__ = ["Canvas", "Hit", "render_image"]
