"""The server is killed under load, and started again: every set that was answered is there, and no value is wrong."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path

import servers
from servers import PATIENCE, Connection, PoolTest, Server

ROUNDS = 40 if os.environ.get("LONG_TESTS") else 4
LOAD = ("--threads", "2", "--connections", "4", "--keys", "500")


def load(port: int, *options: object) -> subprocess.Popen[str]:
    command = [servers.load_program, "--port", str(port), *LOAD, *map(str, options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


class KillTest(PoolTest):
    def test_acknowledged_sets_survive(self) -> None:
        journal = Path(f"{self.pool}.journal")
        for test_round in range(ROUNDS):
            with servers.ours("--pool", self.pool, "--threads", 2) as server:
                report = self.kill_under_load(server, "--journal", journal, "--seed", test_round + 1)
            self.assertGreater(report["requests"], 100)
            self.assertEqual(self.items_of_sound_pool(), 1000)
            with servers.ours("--pool", self.pool) as server, load(server.port, "--verify", journal) as readers:
                report = json.loads(readers.communicate(timeout=PATIENCE)[0])
            self.assertEqual(readers.returncode, 0)
            self.assertEqual(report["requests"], 1000)

    def items_of_sound_pool(self) -> int:
        command = [servers.program, "--pool", self.pool, "--reopen"]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout)
        return int(done.stdout.removesuffix(" items\n"))

    def kill_under_load(self, server: Server, *options: object) -> dict[str, int]:
        with load(server.port, "--until-killed", "--sets", 50, "--warmup", 0, *options) as clients:
            self.assertEqual(clients.stdout.readline(), "populated\n")
            server.work(random.uniform(0.02, 0.3))
            server.kill()
            report = json.loads(clients.communicate(timeout=PATIENCE)[0])
        self.assertEqual(clients.returncode, 0)
        return report

    def test_evicting_survives(self) -> None:
        options = ("--pool", self.pool, "--threads", 2, "--memory-limit", 1, "--max-item-size", 65536)
        with servers.ours(*options) as server:
            report = self.kill_under_load(server, "--value-bytes", 3000, "--may-miss")
        self.assertGreater(report["misses"], 10)
        self.assertGreater(self.items_of_sound_pool(), 100)

    def test_expiry_is_right_after_a_restart(self) -> None:
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            self.assertEqual(client.ask(b"set soon 0 2 1\r\na\r\nset later 0 100 1\r\nb\r\nset never 0 0 1\r\nc\r\n"),
                             b"STORED\r\n" * 3)
            begin = time.monotonic()
            server.kill()
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            time.sleep(max(0.0, begin + 2.1 - time.monotonic()))
            self.assertEqual(client.ask(b"mg soon\r\n"), b"EN\r\n")
            remaining = client.ask(b"mg later t\r\n")
            self.assertRegex(remaining, rb"^HD t9[5-8]\r\n$")
            self.assertEqual(client.ask(b"mg never t\r\n"), b"HD t-1\r\n")

    def test_a_delayed_flush_happens_after_a_restart(self) -> None:
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            self.assertEqual(client.ask(b"set a 0 0 1\r\na\r\nflush_all 2\r\n"), b"STORED\r\nOK\r\n")
            server.kill()
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            end = time.monotonic() + PATIENCE
            while client.ask(b"mg a\r\n") != b"EN\r\n":
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)

    def test_a_stopped_server_closes_its_pool(self) -> None:
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            client.ask(b"set a 0 0 1\r\na\r\n")
            self.assertEqual(server.stop(), 0)
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            self.assertEqual(client.ask(b"mg a v\r\n"), b"VA 1\r\na\r\n")

    def test_a_killed_benchmark_leaves_a_sound_pool(self) -> None:
        command = [servers.program, "--preset", "pact19", "--keys", "300", "--pool", str(self.pool)]
        with subprocess.Popen([*command, "--threads", "2", "--seconds", "60", "--progress"], text=True,
                              stderr=subprocess.PIPE) as running:
            while running.stderr.readline() != "measuring\n":
                self.assertIsNone(running.poll())
            time.sleep(random.uniform(0.3, 0.6))  # its warm-up is over
            running.kill()
        self.assertEqual(self.status_of(*command, "--reopen"), (0, ""))
        # Goes on with the values that are there.
        self.assertEqual(self.status_of(*command, "--threads", "2", "--transactions", "2000"), (0, ""))

    def test_a_benchmark_sees_a_wrong_value(self) -> None:
        command = [servers.program, "--preset", "pact19", "--keys", "50", "--value-bytes", "22", "--pool",
                   str(self.pool), "--transactions", "500"]
        self.assertEqual(self.status_of(*command), (0, ""))
        with servers.ours("--pool", self.pool) as server, Connection(server) as client:
            self.assertEqual(client.ask(b"set key-7 0 0 22\r\n7/1/not what was there\r\n"), b"STORED\r\n")
        status, errors = self.status_of(*command)
        self.assertEqual(status, 1)
        self.assertRegex(errors, "wrong answers; the first: key-7, version 1: 7/1/not")

    @staticmethod
    def status_of(*command: str) -> tuple[int, str]:
        done = subprocess.run(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE)
        return done.returncode, done.stderr


if __name__ == "__main__":
    servers.main()
