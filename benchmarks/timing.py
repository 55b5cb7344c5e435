"""Ratios measured in one run: the two sides take turns, and medians are compared."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

Work = Callable[[], Any]

#: One thread each, set before NumPy is imported (by ``one_thread``).
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def seconds(*works: Work, budget: float = 1.5) -> list[float]:
    """The median processor time of one call of each work: what other programs take is left out.

    They take turns, so that whatever slows the machine down slows all of them; each turn lasts
    long enough to be measured. ``budget``: seconds for each work, all turns together.
    """
    calls = []
    for work in works:
        work()
        start = time.process_time()
        work()
        once = max(time.process_time() - start, 1e-7)
        calls.append(max(1, round(0.01 / once)))
    times: list[list[float]] = [[] for _ in works]
    end = time.process_time() + budget * len(works)
    while len(times[0]) < 5 or (time.process_time() < end and len(times[0]) < 60):
        for work, n, found in zip(works, calls, times, strict=True):
            start = time.process_time()
            for _ in range(n):
                work()
            found.append((time.process_time() - start) / n)
    return [statistics.median(found) for found in times]


def peak_bytes(work: Work) -> int:
    """The most memory that ``work`` holds at a time, beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        work()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    names = sorted({*_THREADS, *(k for k in os.environ if "BLAS" in k or k.startswith("MKL"))})
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "blas": f"{blas.get('name')} {blas.get('version')}",
        "environment": {name: os.environ[name] for name in names if name in os.environ},
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
