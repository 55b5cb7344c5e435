"""``python -m app`` is ``pullback``."""

from app.cli import main

raise SystemExit(main())
