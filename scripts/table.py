"""Writes a campaign's results as a text table: `table.py results/quick.csv`."""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median

from contenders import PEERS
from results import Points, Row, Summary, read, summarise

FACTS = ("processor", "cores", "kernel", "compiler", "medium", "domain")
LEGEND = """\
tx/s       median of the trials; +- half the distance between best and worst trial
of floor   throughput as a share of `floor` (one lock, each dirty line flushed once, no log), with the same threads:
           the median over the trials, each held against the other's run of the same trial
of lock    as a share of `lock_stm` (one lock, volatile), with the same threads
of pmemobj as a share of libpmemobj's transactions under one lock, with the same threads
of seq     as a share of `seq` (no synchronisation, volatile), which has one thread
cpu us     processor time of all threads per transaction, in microseconds
flush, fence, log B: cache lines flushed, persistence fences and bytes logged, per transaction; peers do not count them
aborts     attempts that ended in a conflict
RAM, file MiB: memory that is in no file, at the end of the measurement; space that the file system gave to the pool
threads*   more threads than cores
"""


class Table:
    HEADINGS = ("threads", "library", "tx/s", "+-", "of floor", "of lock", "of pmemobj", "of seq", "p50 us", "p99 us",
                "p99.9 us", "cpu us", "flush", "fence", "log B", "aborts", "RAM MiB", "file MiB")

    def __init__(self, panel: str, summaries: Points) -> None:
        self._points = {key[1:]: summary for key, summary in summaries.items() if key[0] == panel}

    def lines(self) -> list[str]:
        cells = [self.HEADINGS, *(self._cells(*point) for point in self._points)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.HEADINGS))]
        return ["  ".join(self._align(*pair) for pair in enumerate(zip(row, widths))).rstrip() for row in cells]

    @staticmethod
    def _align(column: int, cell: tuple[str, int]) -> str:
        text, width = cell
        return text.ljust(width) if column == 1 else text.rjust(width)

    def _cells(self, threads: int, library: str) -> tuple[str, ...]:
        summary = self._points[threads, library]
        return (
            f"{threads}{'*' if summary.is_oversubscribed() else ''}",
            library,
            f"{summary.median('throughput'):,.0f}",
            f"{summary.spread('throughput'):.0%}",
            self._share(summary, (threads, "floor")),
            self._share(summary, (threads, "lock_stm")),
            self._share(summary, (threads, "pmemobj")),
            self._share(summary, (1, "seq")),
            f"{summary.median('latency_p50_us'):.1f}",
            f"{summary.median('latency_p99_us'):.1f}",
            f"{summary.median('latency_p999_us'):.1f}",
            f"{summary.per_transaction('processor_seconds') * 1e6:.1f}",
            *self._persistence(library, summary),
            f"{summary.abort_rate():.2%}" if summary.counts_transactions() else "-",
            self._mebibytes(summary, "volatile_bytes"),
            self._mebibytes(summary, "stored_bytes"),
        )

    @staticmethod
    def _mebibytes(summary: Summary, column: str) -> str:
        found = summary.mebibytes(column)
        return f"{median(found):,.0f}" if found else "-"

    @staticmethod
    def _persistence(library: str, summary: Summary) -> tuple[str, str, str]:
        if library in PEERS:
            return "-", "-", "-"
        return (f"{summary.per_transaction('flushes'):.1f}", f"{summary.per_transaction('fences'):.2f}",
                f"{summary.per_transaction('log_bytes'):,.0f}")

    def _share(self, summary: Summary, yardstick: tuple[int, str]) -> str:
        if yardstick not in self._points:
            return "-"
        return f"{summary.ratio_to(self._points[yardstick], 'throughput'):.2f}"


def facts_of(rows: list[Row]) -> list[str]:
    """One line a fact; several values if the runs differ, as the medium of volatile and durable libraries does."""
    width = max(map(len, FACTS))
    return [f"{name:<{width}}  {', '.join(dict.fromkeys(row[name] for row in rows))}" for name in FACTS]


def text_of(rows: list[Row]) -> str:
    trials = len({row["trial"] for row in rows})
    lines = [f"Campaign {rows[0]['campaign']}, {trials} interleaved trials", *facts_of(rows)]
    summaries = summarise(rows)
    for panel in dict.fromkeys(row["panel"] for row in rows):
        parameters = dict.fromkeys(row["parameters"] for row in rows if row["panel"] == panel)
        lines += ["", f"{panel}: {'; '.join(parameters)}", *Table(panel, summaries).lines()]
    return "\n".join([*lines, "", LEGEND])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--campaign", default="", help="start time of the campaign (default: the file's last)")
    arguments = parser.parse_args()
    print(text_of(read(arguments.csv, arguments.campaign)), end="")


if __name__ == "__main__":
    main()
