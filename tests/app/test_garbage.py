"""While other threads run, garbage is collected on the window's thread only."""

import gc
import threading
import weakref

from app.background import Background
from app.garbage import collect_anywhere


class Cycle:
    def __init__(self):
        self.me = self


def test_garbage_is_collected_on_the_windows_thread_while_another_works(qtbot):
    work, release, threads = Background(None), threading.Event(), []
    try:
        work.start("a", release.wait, lambda _: None)
        assert not gc.isenabled()
        cycle = Cycle()
        gone = weakref.ref(cycle, lambda _: threads.append(threading.current_thread()))
        del cycle
        kept = [[] for _ in range(2 * gc.get_threshold()[0])]  # what makes a collection due
        qtbot.waitUntil(lambda: gone() is None)
        assert threads == [threading.main_thread()]
        assert kept
    finally:
        release.set()
    qtbot.waitUntil(lambda: not any(t.name == "background" for t in threading.enumerate()))
    collect_anywhere()
    assert gc.isenabled()
