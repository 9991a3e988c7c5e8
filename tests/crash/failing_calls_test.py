"""Runs the bank while every n-th call of a system function fails, and on a disk that is full.

The program may go on, or end with a message that says what happened. It must not be ended by a signal, and nothing that
it has acknowledged may be missing when the pool is opened with all calls working again. Each function is made to fail
for every n, until n is so large that no call fails; then that function has been seen to fail wherever it is called.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from preload import preloadable

from bank_crash_test import BankTorture
from torture import Broken

FUNCTIONS = ("open", "mmap", "posix_fallocate", "ftruncate", "pwrite", "pread", "renameat2", "fsync", "msync")
# Of pools with a log, on a disk.
DISK_FUNCTIONS = ("pwritev2", "short_pwritev2", "fdatasync", "rename", "pread", "ftruncate", "open", "fsync")
LARGEST_N = 40
REPORT = "failing_calls: one has failed\n"
SECONDS = "0.02"  # of transfers
LONGEST_RUN = 60.0
ACCOUNTS = "12000"  # more than a new pool has room for: it grows


def run(program: Path, pool: Path, bank: BankTorture, accounts: str, **variables: str) -> tuple[int, str]:
    """Runs the bank for a moment. Returns its exit status and messages; what it acknowledges is noted."""
    # Acknowledged in a file and not a pipe, lest the program wait for somebody to read.
    with tempfile.TemporaryFile() as acknowledged:
        command = [str(program), str(pool), "--seconds", SECONDS, "--accounts", accounts]
        command += ["--acknowledge", str(acknowledged.fileno())]
        done = subprocess.run(command, pass_fds=(acknowledged.fileno(),), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=LONGEST_RUN, env={**os.environ, **variables}, text=True)
        acknowledged.seek(0)
        bank.acknowledge(acknowledged.read())
    return done.returncode, done.stderr


def check(what: str, status: int, messages: str, pool: Path, bank: BankTorture) -> None:
    said = messages.replace(REPORT, "")
    if status < 0:
        raise Broken(f"{what}: the program was ended by signal {-status}\n{said}")
    if status != 0 and "transfers: " not in said:
        raise Broken(f"{what}: the program failed without saying why\n{said}")
    if pool.exists():
        bank.check(pool)


def remove(pool: Path) -> None:
    for left_over in pool.parent.glob(f"{pool.name}*"):
        left_over.unlink()


def fail_everywhere(arguments: argparse.Namespace, function: str, directory: Path) -> int:
    """Returns how many runs had a call that failed."""
    for n in range(1, LARGEST_N + 1):
        pool = directory / f"{function}_{n}.pool"
        bank = BankTorture(arguments.program)
        failures = 0
        for life in ("the run that creates the pool", "the next run"):
            variables = {"LD_PRELOAD": preloadable(arguments.preload), "FAILING_CALL": function,
                         "FAILING_EVERY": str(n)}
            status, messages = run(arguments.program, pool, bank, ACCOUNTS, **variables)
            failures += REPORT in messages
            check(f"{function}, every call with a number divisible by {n}, {life}", status, messages, pool, bank)
            # The pool that the second run finds has been in order.
            status, messages = run(arguments.program, pool, bank, ACCOUNTS)
            if status != 0:
                raise Broken(f"{function}, {n}: afterwards the pool cannot be used, status {status}\n{messages}")
        remove(pool)
        if failures == 0:
            return n - 1
    return LARGEST_N


def fill_disk(arguments: argparse.Namespace, directory: Path) -> str:
    """A file system of 4 MiB, and more accounts than fit."""
    mount = directory / "full"
    mount.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount], capture_output=True, text=True)
    if mounted.returncode != 0:
        return f"full disk: SKIPPED, mounting a small tmpfs is not permitted: {mounted.stderr.strip()}"
    try:
        pool = mount / "bank.pool"
        bank = BankTorture(arguments.program)
        for life in range(3):
            status, messages = run(arguments.program, pool, bank, "1000000")
            if status == 0:
                raise Broken("a million accounts fit into 4 MiB: the test is none")
            check(f"full disk, run {life}", status, messages, pool, bank)
        return f"full disk: {messages.strip()}"
    finally:
        subprocess.run(["umount", "--lazy", mount], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--preload", type=Path, required=True, help="the shared object that makes calls fail")
    parser.add_argument("--directory", type=Path, default=Path("/dev/shm"), help="where the pools lie")
    parser.add_argument("--log", action="store_true", help="the program's pools have logs, as those on disks have")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="perdure-failing-", dir=arguments.directory))
    try:
        functions = DISK_FUNCTIONS if arguments.log else FUNCTIONS
        failed = {function: fail_everywhere(arguments, function, directory) for function in functions}
        print(fill_disk(arguments, directory))
    except Broken as error:
        print(f"FAILED: {error}")
        return 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(", ".join(f"{function}: {count} runs with failures" for function, count in failed.items()))
    # Nothing calls msync at present; should something begin to, it is tested at once.
    silent = [function for function, count in failed.items() if count == 0 and function != "msync"]
    if silent:
        print(f"FAILED: no call of {', '.join(silent)} failed, so nothing was tested")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
