"""HIPS autograd's own tests, run against ``core``: a yardstick for "plain NumPy code runs".

    python benchmarks/hips/run.py

downloads the source distribution of ``autograd`` (its tests are not copied here) into ``build/``,
puts the small ``shim`` in the place of its package, runs the tests that are about NumPy, and
compares with ``differences.json``: every test that fails is listed there with its reason. Exits 1
if one fails that is not listed, or passes although it is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLACE = ROOT / "build" / "hips"
VERSION = "1.9.1"
#: Tests of NumPy code. The others are about HIPS's own tracer, containers and SciPy wrappers.
FILES = (
    "test_binary_ops.py", "test_complex.py", "test_direct.py", "test_fft.py", "test_graphs.py",
    "test_jacobian.py", "test_linalg.py", "test_numpy.py", "test_scalar_ops.py",
    "test_systematic.py", "test_truediv.py",
)  # fmt: skip
#: Its gradient checker, used as it is.
KEPT = ("test_util.py", "wrap_util.py", "util.py")


def main() -> int:
    source = fetch()
    prepare(source)
    passed, failed = run_tests()
    listed: dict[str, str] = json.loads((HERE / "differences.json").read_text("utf-8"))
    surprises = sorted(set(failed) - set(listed))
    cured = sorted(set(listed) & set(passed))
    for name in sorted(set(failed) & set(listed)):
        print(f"  differs  {name}: {listed[name]}")
    for name in surprises:
        print(f"  FAILS    {name}: {failed[name]}")
    for name in cured:
        print(f"  PASSES   {name}, although listed: {listed[name]}")
    print(f"{len(passed)} of {len(passed) + len(failed)} tests of autograd {VERSION} pass")
    return 1 if surprises or cured else 0


def fetch() -> Path:
    """The unpacked source distribution, downloaded if need be."""
    source = PLACE / f"autograd-{VERSION}"
    if not source.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        download = ["download", "--no-deps", "--no-binary", ":all:", f"autograd=={VERSION}"]
        subprocess.run([sys.executable, "-m", "pip", *download, "-d", str(PLACE)], check=True)
        with tarfile.open(PLACE / f"autograd-{VERSION}.tar.gz") as archive:
            archive.extractall(PLACE, filter="data")
    return source


def prepare(source: Path) -> None:
    """Put together what runs: the tests, the shim as ``autograd``, and HIPS's checker in it."""
    for folder in ("tests", "autograd"):
        shutil.rmtree(PLACE / folder, ignore_errors=True)
    shutil.copytree(source / "tests", PLACE / "tests")
    shutil.copytree(HERE / "shim", PLACE / "autograd")
    for name in KEPT:
        shutil.copy(source / "autograd" / name, PLACE / "autograd")


def run_tests() -> tuple[list[str], dict[str, str]]:
    """The tests that pass, and those that fail with the first line of why."""
    report = PLACE / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
               f"--rootdir={PLACE}", f"--junitxml={report}", *FILES]  # fmt: skip
    paths = os.pathsep.join([str(PLACE), str(ROOT)])
    subprocess.run(
        command,
        cwd=PLACE / "tests",
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL if "-v" not in sys.argv else None,
        check=False,
    )
    passed: list[str] = []
    failed: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').split('.')[-1]}::{case.get('name')}"
        bad = [child for child in case if child.tag in ("failure", "error")]
        if bad:
            failed[name] = (bad[0].get("message") or "").splitlines()[0][:200]
        elif not any(child.tag == "skipped" for child in case):
            passed.append(name)
    return passed, failed


if __name__ == "__main__":
    sys.exit(main())
