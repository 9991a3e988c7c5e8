"""What administrators and monitoring ask: statistics, listings, limits, and the end of the server."""

from __future__ import annotations

import re
import subprocess
import time
import unittest
from pathlib import Path

import servers
from servers import PATIENCE, Connection, Server

TOOL = Path("/usr/share/memcached/scripts/memcached-tool")
KEYS = 20_000  # so many that a listing is longer than what the server keeps of one answer


def statistics(connection: Connection, what: str) -> dict[str, str]:
    lines = connection.ask(f"stats {what}\r\n".encode()).decode().splitlines()
    if lines[-1] != "END":
        raise AssertionError(f"stats {what}: no END: {lines}")
    return dict(line.removeprefix("STAT ").split(" ", 1) for line in lines[:-1])


def store(connection: Connection, count: int, exptime: int = 0, name: str = "key") -> None:
    sets = "".join(f"set {name}:{i} 7 {exptime} 5 noreply\r\nhello\r\n" for i in range(count))
    connection.ask(sets.encode())


def cas_of(connection: Connection, key: str) -> int:
    return int(re.match(rb"VALUE \S+ \d+ \d+ (\d+)\r\n", connection.ask(f"gets {key}\r\n".encode()))[1])


class AdministrationTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = servers.ours("--memory-limit", 64)
        self.addCleanup(self.server.kill)
        self.connection = Connection(self.server)
        self.addCleanup(self.connection.close)

    def metadata(self) -> list[str]:
        self.connection.send(b"lru_crawler metadump all\r\n")
        return self.connection.read_until(b"END\r\n").decode().splitlines()[:-1]

    def test_slabs_and_items(self) -> None:
        self.assertEqual(statistics(self.connection, "slabs"), {"active_slabs": "0", "total_malloced": "0"})
        self.assertEqual(statistics(self.connection, "items"), {})
        store(self.connection, 1000)
        self.connection.ask(b"get key:1 key:2 none\r\n")
        slabs, items = statistics(self.connection, "slabs"), statistics(self.connection, "items")
        self.assertEqual((slabs["active_slabs"], slabs["1:get_hits"], slabs["1:cmd_set"]), ("1", "2", "1000"))
        self.assertEqual(int(slabs["1:used_chunks"]) + int(slabs["1:free_chunks"]), int(slabs["1:total_chunks"]))
        self.assertEqual(items["items:1:number"], "1000")
        self.assertEqual(int(items["items:1:mem_requested"]),
                         int(slabs["1:used_chunks"]) * int(slabs["1:chunk_size"]))

    def test_connections(self) -> None:
        with Connection(self.server) as other:
            other.ask(b"version\r\n")
            states = [value for name, value in statistics(self.connection, "conns").items() if name.endswith(":state")]
            self.assertEqual(sorted(states), ["conn_listening", "conn_read", "conn_read"])

    def test_settings(self) -> None:
        self.assertEqual(statistics(self.connection, "settings")["maxbytes"], str(64 << 20))
        self.connection.ask(b"cache_memlimit 32\r\n")
        self.assertEqual(statistics(self.connection, "settings")["maxbytes"], str(32 << 20))
        self.assertEqual(statistics(self.connection, "")["limit_maxbytes"], str(32 << 20))

    def test_a_smaller_limit_evicts(self) -> None:
        for i in range(30):
            self.connection.ask(f"set large:{i} 0 0 900000\r\n".encode() + b"x" * 900_000 + b"\r\n")
        self.assertGreater(int(statistics(self.connection, "")["bytes"]), 20_000_000)
        self.connection.ask(b"cache_memlimit 8\r\n")
        store(self.connection, 1000)  # into every partition
        self.assertLess(int(statistics(self.connection, "")["bytes"]), 9_000_000)

    def test_metadata_of_many(self) -> None:
        store(self.connection, KEYS)
        self.connection.ask(b"set b/\xc3\xa9%~ 0 100 1\r\n1\r\nset gone 0 -1 1\r\n1\r\n")
        lines = self.metadata()
        keys = {re.match(r"key=(\S+) exp=(-1|\d{10}) la=\d{10} cas=\d+ fetch=no cls=1 size=\d+$", line)[1]
                for line in lines}
        self.assertEqual(len(lines), KEYS + 1)
        self.assertEqual(keys, {*(f"key%3A{i}" for i in range(KEYS)), "b%2F%C3%A9%25~"})
        self.assertEqual(self.connection.ask(b"lru_crawler metadump 2\r\n"), b"END\r\n")  # of another class
        self.connection.send(b"lru_crawler metadump hash\r\n")
        self.assertEqual(self.connection.read_until(b"END\r\n").decode().splitlines()[:-1], lines)

    def test_commands_that_fetch_many(self) -> None:
        store(self.connection, KEYS)
        self.connection.ask(b"ms YS/DqSU= 1 b\r\n1\r\n")
        for which in (b"all", b"hash", b"1"):
            self.connection.send(b"lru_crawler mgdump %s\r\n" % which)
            lines = self.connection.read_until(b"\r\nEN\r\n").decode().splitlines()
            self.assertEqual(lines.pop(), "EN")
            self.assertEqual(sorted(lines), sorted([*(f"mg key:{i}" for i in range(KEYS)), "mg YS/DqSU= b"]))
            for line in lines[:100]:
                self.assertEqual(self.connection.ask(f"{line}\r\n".encode()), b"HD\r\n")
        self.assertEqual(self.connection.ask(b"lru_crawler mgdump 2\r\n"), b"EN\r\n")
        self.assertEqual(self.connection.ask(b"lru_crawler mgdump x\r\n"), b"BADCLASS invalid class id\r\n")

    def test_sizes(self) -> None:
        store(self.connection, KEYS)
        self.connection.ask(b"set large 0 0 10000\r\n" + b"x" * 10_000 + b"\r\nstats sizes_enable\r\n")
        self.assertEqual(statistics(self.connection, "settings")["track_sizes"], "yes")
        sizes = {int(size): int(count) for size, count in statistics(self.connection, "sizes").items()}
        self.assertEqual(sum(sizes.values()), KEYS + 1)
        self.assertEqual(sizes[max(sizes)], 1)
        self.assertGreater(max(sizes), 10_000)
        total = sum(size * count for size, count in sizes.items())
        self.assertEqual(total, int(statistics(self.connection, "")["bytes"]))

    def test_names_of_many(self) -> None:
        store(self.connection, KEYS)
        for most, expected in ((0, KEYS), (3, 3)):
            lines = self.connection.ask(f"stats cachedump 1 {most}\r\n".encode()).decode().splitlines()
            self.assertEqual((len(lines), lines[-1]), (expected + 1, "END"))
            self.assertRegex(lines[0], r"^ITEM key:\d+ \[5 b; 0 s\]$")

    def test_the_crawler_removes_what_has_expired(self) -> None:
        store(self.connection, 500)
        store(self.connection, 500, exptime=-1, name="old")
        self.assertEqual(statistics(self.connection, "")["curr_items"], "1000")
        self.assertEqual(self.connection.ask(b"lru_crawler crawl all\r\n"), b"OK\r\n")
        end = time.monotonic() + PATIENCE
        while statistics(self.connection, "")["lru_crawler_running"] != "0" and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(statistics(self.connection, "")["curr_items"], "500")
        items = statistics(self.connection, "items")
        self.assertEqual((items["items:1:crawler_reclaimed"], items["items:1:expired_unfetched"]), ("500", "500"))
        self.assertGreaterEqual(int(items["items:1:crawler_items_checked"]), 1000)

    def test_a_reset_forgets_what_was_counted(self) -> None:
        self.connection.ask(b"set a 0 -1 1\r\nx\r\nget a\r\nset b 0 0 1\r\nx\r\nlru_crawler crawl all\r\n")
        names = ("total_items", "get_expired", "lru_crawler_starts", "total_connections")
        counted = statistics(self.connection, "")
        self.assertEqual([counted[name] for name in names], ["2", "1", "1", "1"])
        self.connection.ask(b"stats reset\r\n")
        counted = statistics(self.connection, "")
        self.assertEqual([counted[name] for name in names], ["0", "0", "0", "0"])
        self.assertEqual((counted["curr_items"], counted["curr_connections"]), ("1", "1"))

    @unittest.skipUnless(servers.MEMCACHED, "memcached is not installed")
    def test_memcached_has_the_same_numbers(self) -> None:
        """As it has them without segments in its order of recency, which we have not, either."""
        with servers.theirs("-o", "no_lru_maintainer") as server, Connection(server) as theirs:
            for what in ("items", "slabs"):
                store(theirs, 1)
                store(self.connection, 1)
                self.assertEqual(list(statistics(self.connection, what)), list(statistics(theirs, what)))

    def test_a_cas_unique_is_of_one_value_only(self) -> None:
        store(self.connection, KEYS)
        self.connection.ask(b"set n 0 0 1\r\n1\r\nincr n 1\r\n")
        numbers = [int(re.search(r" cas=(\d+) ", line)[1]) for line in self.metadata()]
        self.assertEqual(len(set(numbers)), KEYS + 1)
        before = cas_of(self.connection, "n")
        self.connection.ask(b"append n 0 0 1\r\n0\r\n")
        self.assertGreater(cas_of(self.connection, "n"), before)

    def test_a_watcher_is_accepted(self) -> None:
        with Connection(self.server) as watcher:
            watcher.send(b"watch fetchers mutations\r\nversion\r\n")
            self.assertEqual(watcher.read_until(b"\r\n"), b"OK\r\n")  # and nothing of what comes behind
            self.connection.ask(b"get a\r\n")

    @unittest.skipUnless(TOOL.exists(), "memcached-tool (package memcached) is not installed")
    def test_memcached_tool(self) -> None:
        store(self.connection, 10)
        place = f"127.0.0.1:{self.server.port}"

        def say(*words: str) -> str:
            done = subprocess.run([str(TOOL), place, *words], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout

        self.assertRegex(say("display"), r"(?m)^ +1 +32B +\d+s +1 +10 ")
        self.assertRegex(say("stats"), r"(?m)^ +curr_items +10\s*$")
        self.assertRegex(say("settings"), r"(?m)^ +maxbytes +67108864\s*$")
        say("sizes")
        self.assertEqual(say("dump").count("add key:"), 10)
        self.assertEqual(say("keys").count("key=key%3A"), 10)


class ShutdownTest(unittest.TestCase):
    def end(self, command: bytes) -> int:
        with servers.ours("-A") as server, Connection(server) as connection:
            self.assertEqual(connection.ask(b"shutdown foo\r\n"), b"CLIENT_ERROR invalid shutdown mode\r\n")
            connection.send(command)
            self.assertEqual(connection.receive(), b"")
            return server.process.wait(timeout=PATIENCE)

    def test_clients_end_a_server_that_allows_it(self) -> None:
        for command in (b"shutdown\r\n", b"shutdown graceful\r\n"):
            self.assertEqual(self.end(command), 0)


class RestartTest(servers.PoolTest):
    def test_no_cas_unique_comes_back_after_a_kill(self) -> None:
        seen: set[int] = set()
        for _ in range(3):
            with servers.ours("--pool", self.pool) as server, Connection(server) as connection:
                self.stores_with_new_numbers(connection, seen)

    def stores_with_new_numbers(self, connection: Connection, seen: set[int]) -> None:
        store(connection, 200)
        numbers = {cas_of(connection, f"key:{i}") for i in range(200)}
        self.assertEqual(len(numbers), 200)
        self.assertFalse(numbers & seen)
        seen |= numbers
        connection.ask(b"".join(b"delete key:%d noreply\r\n" % i for i in range(200)))


if __name__ == "__main__":
    servers.main()
