"""How large gradients are drawn: the side and the magnitude of each, measured once."""

from __future__ import annotations

from app.canvas.format import Shown, size_of
from app.colors import magnitude, signed_magnitude


class Sizes:
    """Measures of arrays by identity; it keeps what it measured alive until ``forget``."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Shown, float, float]] = {}

    def of(self, shown: Shown) -> tuple[float, float]:
        """Signed magnitude and magnitude, see ``app.colors``; both NaN where the array has one."""
        known = self._known.get(id(shown))
        if known is None:
            size = size_of(shown)
            known = (shown, signed_magnitude(size.mean, size.rms), magnitude(size.rms))
            self._known[id(shown)] = known
        return known[1], known[2]

    def of_wire(self, shown: Shown) -> tuple[float, float]:
        """As ``of``, at full strength where it is NaN: what is wrong must be seen to travel."""
        signed, size = self.of(shown)
        return (signed if signed == signed else 1.0), (size if size == size else 1.0)

    def forget(self) -> None:
        """Let go of all arrays."""
        self._known.clear()
