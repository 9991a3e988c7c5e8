"""Stops one thread of a process, by ptrace, while its other threads go on."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

PTRACE_DETACH = 17
PTRACE_SEIZE = 0x4206
PTRACE_INTERRUPT = 0x4207
WAIT_FOR_THREADS_TOO = 0x40000000  # __WALL
UTIME = 11  # of /proc/<pid>/stat, behind the name

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request: int, thread: int) -> None:
    if _libc.ptrace(request, thread, None, None) == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"ptrace of thread {thread}: {os.strerror(error)}")


def busiest_threads(process: int, count: int) -> list[int]:
    """Those that have computed longest so far."""
    def time_of(thread: Path) -> int:
        return int((thread / "stat").read_text().rpartition(")")[2].split()[UTIME])

    threads = sorted(Path(f"/proc/{process}/task").iterdir(), key=time_of, reverse=True)
    return [int(thread.name) for thread in threads[:count]]


@contextlib.contextmanager
def stopped(thread: int) -> Iterator[None]:
    """:param thread: of a child of this process."""
    _ptrace(PTRACE_SEIZE, thread)
    _ptrace(PTRACE_INTERRUPT, thread)
    os.waitpid(thread, WAIT_FOR_THREADS_TOO)
    try:
        yield
    finally:
        _ptrace(PTRACE_DETACH, thread)
