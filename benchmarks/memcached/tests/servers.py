"""Servers to be tested: started on a free port, and stopped at the end. The command line names the programs."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NO_OPERATION = re.compile(rb"^mn\b", re.MULTILINE)
PATIENCE = 20.0  # seconds; what takes longer hangs
MEMCACHED = shutil.which("memcached", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/bin")

program = ""  # the server under test
load_program = ""


class Server:
    """A running server; `with` kills it at the end."""

    def __init__(self, command: list[str], port: int = 0) -> None:
        self.command = command
        self._port = port
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        if self._port:
            self.address = ("127.0.0.1", self._port)
            return self._wait()
        line = self.process.stdout.readline()
        host, _, port = line.removeprefix("listening at ").strip().rpartition(":")
        if not line:
            raise RuntimeError(f"{self.command} ended with status {self.process.wait()}")
        self.address = (host, int(port)) if host else (line, 0)

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return socket.create_connection(self.address, timeout=PATIENCE).close()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    @property
    def port(self) -> int:
        return self.address[1]

    def work(self, processor_seconds: float) -> None:
        """Waits until it has worked for so long. Beside other programs time alone says nothing."""
        wanted = self._processor_seconds() + processor_seconds
        end = time.monotonic() + PATIENCE
        while self._processor_seconds() < wanted and time.monotonic() < end:
            time.sleep(0.005)

    def _processor_seconds(self) -> float:
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.stdout.close()
        status = self.process.wait(timeout=PATIENCE)
        for left in Path("/dev/shm").glob(f"perdure-memcached-{self.process.pid}.pool*"):  # without --pool, by a kill
            left.unlink()
        return status

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def ours(*options: object) -> Server:
    return Server([program, "--port", "0", *map(str, options)])


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def theirs(*options: str) -> Server:
    """memcached itself, where it is installed."""
    port = free_port()
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    return Server([MEMCACHED, *user, "-l", "127.0.0.1", "-p", str(port), "-U", "0", *options], port)


class Connection:
    """A client that sees every byte."""

    def __init__(self, server: Server) -> None:
        self._socket = socket.create_connection(server.address, timeout=PATIENCE)

    @property
    def address(self) -> tuple[str, int]:
        """Its own end."""
        return self._socket.getsockname()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def receive(self, count: int = 65536) -> bytes:
        """What has come; nothing once the server has closed the connection."""
        try:
            return self._socket.recv(count)
        except (ConnectionResetError, BrokenPipeError):
            return b""

    def read_until(self, end: bytes, times: int = 1) -> bytes:
        """The answers up to `end`, which comes so many times, or all there are when the server closes the connection
        before."""
        answer = bytearray()
        while not (answer.endswith(end) and answer.count(end) >= times):
            received = self.receive()
            if not received:
                break
            answer += received
        return bytes(answer)

    def ask(self, data: bytes) -> bytes:
        """All answers to `data`. A no-operation behind it tells where they end."""
        self.send(data + b"mn\r\n")
        asked = len(NO_OPERATION.findall(data))
        return self.read_until(b"MN\r\n", asked + 1).removesuffix(b"MN\r\n")

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PoolTest(unittest.TestCase):
    """A test with a folder for pools, in memory."""

    def setUp(self) -> None:
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = tempfile.TemporaryDirectory(prefix="perdure-memcached-", dir=place)
        self.addCleanup(folder.cleanup)
        self.pool = Path(folder.name) / "pool"


def main() -> None:
    """The command line of a test: the server, the load generator, and then what unittest takes."""
    global program, load_program
    program, load_program = sys.argv[1:3]
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
