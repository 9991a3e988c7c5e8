"""Measures the server benchmarks/memcached beside memcached itself, on the same load, in interleaved trials.

The load is 90 % gets and 10 % sets by a generator that checks every answer (benchmarks/memcached/load), with as many
threads as the server has, and then by memcaslap. At the end our servers are killed, and their pools must be sound.
Results: results/memcached.csv, .txt, .png, .pdf and .svg.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt

import command_line
import figure_style
import results
from library_table import is_volatile

PEER = "memcached"
LIBRARIES = ("orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")
CONNECTIONS = 16  # of each of the load's threads
MEMORY = 1024  # MiB: nothing is evicted
PATIENCE = 60.0  # seconds; what takes longer hangs


@dataclass(frozen=True)
class Subject:
    """A server: memcached, or ours with one library."""

    name: str
    build: Path

    def command(self, port: int, threads: int, pool: Path) -> list[str]:
        common = [str(port), str(threads), str(MEMORY)]
        if self.name == PEER:
            user = ["-u", "nobody"] if os.geteuid() == 0 else []
            options = zip(("-p", "-t", "-m"), common)
            return [found(PEER), "-l", "127.0.0.1", "-U", "0", *user, *(word for pair in options for word in pair)]
        options = zip(("--port", "--threads", "--memory-limit"), common)
        return [str(self.program()), "--pool", str(pool), *(word for pair in options for word in pair)]

    def program(self) -> Path:
        return self.build / "bin" / f"memcached_{self.name}"

    def is_durable(self) -> bool:
        return self.name != PEER and not is_volatile(self.name)


def found(program: str) -> str:
    path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/bin")
    if path is None:
        raise SystemExit(f"{program} is not installed; run make setup")
    return path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def processor_seconds(process: int) -> float:
    """Of all threads of a process that are there."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def load(build: Path, port: int, threads: int, seconds: float, seed: int) -> dict[str, object]:
    """:return: what the generator measured. A wrong answer ends the campaign."""
    options = {"--port": port, "--threads": threads, "--connections": CONNECTIONS, "--seconds": seconds, "--seed": seed}
    command = [str(build / "bin/memcached_load"), *(str(word) for option in options.items() for word in option)]
    done = subprocess.run(command, text=True, capture_output=True, timeout=PATIENCE + seconds)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def memcaslap(port: int, threads: int, seconds: float) -> float:
    """:return: requests a second, by a public generator."""
    command = [found("memcaslap"), "-s", f"127.0.0.1:{port}", "-T", str(threads), "-c", str(threads * CONNECTIONS),
               "-t", f"{max(1, round(seconds))}s", "-X", "100", "-w", "1k"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=PATIENCE + seconds)
    match = re.search(r"TPS: (\d+)", done.stdout)
    if match is None:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}")
    return float(match[1])


def check(subject: Subject, pool: Path) -> None:
    command = [str(subject.program()), "--pool", str(pool), "--reopen"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=PATIENCE)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: after a kill, {done.stderr.strip()}")


class Running:
    """A server at work, and its pool."""

    def __init__(self, subject: Subject, threads: int, folder: Path) -> None:
        self.subject, self._threads = subject, threads
        self._pool, self._port = folder / subject.name, free_port()
        self._server = subprocess.Popen(subject.command(self._port, threads, self._pool), stdout=subprocess.DEVNULL)
        wait_for(self._port)

    def measure(self, trial: int, seconds: float) -> dict[str, object]:
        begin = processor_seconds(self._server.pid)
        measured = load(self.subject.build, self._port, self._threads, seconds, trial + 1)
        used = processor_seconds(self._server.pid) - begin
        slapped = memcaslap(self._port, self._threads, seconds)
        oversubscribed = 2 * self._threads > int(str(measured["cores"]))
        return {"server": self.subject.name, "threads": self._threads, "trial": trial,
                "oversubscribed": oversubscribed, **measured, "memcaslap_throughput": slapped,
                "server_processor_seconds": used}

    def kill(self) -> None:
        self._server.send_signal(signal.SIGKILL)
        self._server.wait()

    def check(self) -> None:
        if self.subject.is_durable():
            check(self.subject, self._pool)


def campaign(subjects: list[Subject], threads: int, trials: int, seconds: float) -> Iterator[dict[str, object]]:
    """All servers are there all the time, and one of them at a time is loaded: A B C A B C …"""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="perdure-memcached-", dir=place) as folder, ExitStack() as stack:
        servers = []
        for subject in subjects:
            servers.append(Running(subject, threads, Path(folder)))
            stack.callback(servers[-1].kill)
        for trial in range(trials):
            yield from (server.measure(trial, seconds) for server in servers)
        for server in servers:
            server.kill()
            server.check()


Point = tuple[str, int]


def ratio(rows: dict[Point, list[dict[str, str]]], point: Point, column: str) -> float:
    """The median over the trials of this server's value over memcached's in the same trial."""
    pairs = zip(rows[point], rows[PEER, point[1]])
    return median(float(own[column]) / float(theirs[column]) for own, theirs in pairs)


def microseconds(row: dict[str, str]) -> float:
    """Processor time of the server for a request; that of its population, a few percent, included."""
    requests = float(row["requests"]) * (1 + 0.2 / float(row["seconds"])) + float(row["keys"])  # warm-up, population
    return float(row["server_processor_seconds"]) / requests * 1e6


def table(rows: dict[Point, list[dict[str, str]]]) -> str:
    head = ("threads", "server", "requests/s", "of memcached", "memcaslap/s", "of memcached", "cpu us", "p50 us",
            "p99 us")
    lines = [head]
    for point, own in rows.items():
        name, threads = point
        star = "*" if own[0]["oversubscribed"] == "True" else ""
        lines.append((f"{threads}{star}", name, f"{median(float(row['throughput']) for row in own):,.0f}",
                      f"{ratio(rows, point, 'throughput'):.2f}",
                      f"{median(float(row['memcaslap_throughput']) for row in own):,.0f}",
                      f"{ratio(rows, point, 'memcaslap_throughput'):.2f}",
                      f"{median(microseconds(row) for row in own):.2f}",
                      f"{median(float(row['latency_p50_us']) for row in own):.0f}",
                      f"{median(float(row['latency_p99_us']) for row in own):.0f}"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)
    trials = len(next(iter(rows.values())))
    first = next(iter(rows.values()))[0]
    load_text = f"90 % gets, values of {first['value_bytes']} bytes, {CONNECTIONS} connections a thread"
    return f"""memcached and its peers: {load_text}; {trials} interleaved trials
{first['processor']}, {first['cores']} cores, {first['kernel']}

{text}

of memcached  the median over the trials of the ratio to memcached's run of the same trial
cpu us        processor time of the server for a request
p50, p99      of a request, from when it is sent until its answer has been read
threads*      the server's and the load's threads together are more than the cores
"""


def draw(rows: dict[Point, list[dict[str, str]]]) -> plt.Figure:
    figure, axes = plt.subplots(figsize=(4.5, 2.7))
    names = list(dict.fromkeys(name for name, _ in rows))
    counts = list(dict.fromkeys(threads for _, threads in rows))
    width = 0.86 / len(names)
    for place, name in enumerate(names):
        ranges = [results.Range.of([float(row["throughput"]) for row in rows[name, threads]]) for threads in counts]
        figure_style.draw_bars(axes, [group + place * width for group in range(len(counts))], ranges,
                               figure_style.look_of(name), width * 0.94)
    axes.set_xticks([group + 0.43 - width / 2 for group in range(len(counts))],
                    [f"{threads} thread{'s' if threads > 1 else ''}" for threads in counts])
    axes.set_ylabel("requests/s")
    figure_style.scale(axes, is_logarithmic=False)
    axes.set_title("memcached protocol, 90 % gets", loc="left")
    figure_style.finish(axes)
    figure.legend([figure_style.handle_of(name, "bars") for name in names], names, loc="upper center", frameon=False,
                  ncol=figure_style.legend_columns(4.5, names))
    figure.tight_layout(rect=(0, 0, 1, 0.86))
    return figure


def read_arguments() -> argparse.Namespace:
    parser = command_line.parser(__doc__, trials=11, seconds=1, libraries=LIBRARIES)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    return command_line.parse(
        parser, lambda given: ["memcached_load", *(f"memcached_{library}" for library in given.libraries)])


def main() -> int:
    arguments = read_arguments()
    started = datetime.now().isoformat(timespec="seconds")
    csv = arguments.results / "memcached.csv"
    csv.parent.mkdir(parents=True, exist_ok=True)
    subjects = [Subject(name, arguments.build) for name in (PEER, *arguments.libraries)]
    for threads in arguments.threads:
        for row in campaign(subjects, threads, arguments.trials, arguments.seconds):
            results.append(csv, {"campaign": started, **{name: str(value) for name, value in row.items()}})
            print(f"trial {row['trial'] + 1}  {threads} threads  {row['server']:<15} {row['throughput']:>10,.0f} "
                  "requests/s", flush=True)
    rows: dict[Point, list[dict[str, str]]] = {}
    for row in results.read(csv, started):
        rows.setdefault((row["server"], int(row["threads"])), []).append(row)
    text = table(rows)
    csv.with_suffix(".txt").write_text(text)
    figure_style.save(csv.with_suffix(""), draw(rows))
    print(f"\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
