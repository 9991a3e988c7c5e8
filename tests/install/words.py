"""Counts a word with a shared object (words.cc), on four threads, and prints how often it has been counted."""

from __future__ import annotations

import ctypes
import sys
import threading

EACH = 100


def main() -> None:
    library, pool = ctypes.CDLL(sys.argv[1]), sys.argv[2].encode()
    library.count_word.restype = ctypes.c_long
    counts: list[int] = []

    def count() -> None:
        counts.append(max(library.count_word(pool, b"hello") for _ in range(EACH)))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(max(counts))


if __name__ == "__main__":
    main()
