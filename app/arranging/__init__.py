"""Laying nodes out: what may move, where a layout puts it, and the edit that comes of it."""

from app.arranging.lines import LINES, align, distribute
from app.arranging.plan import Plan

__all__ = ["LINES", "Plan", "align", "distribute"]
