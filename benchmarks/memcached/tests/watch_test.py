"""What clients that said `watch` are told: the lines of memcached 1.6, one for each thing that has become durable."""

from __future__ import annotations

import contextlib
import re
import threading
import time
import unittest

import servers
from servers import PATIENCE, Connection, Server

LINE = re.compile(r"ts=(\d+\.\d+) gid=(\d+) (.*)")

# What is said, and what watchers of fetchers and mutations are told of it.
TOLD: list[tuple[str, list[str]]] = [
    ("get none", ["type=item_get key=none status=not_found clsid=0 size=0"]),
    ("set a 0 0 3\r\nabc", ["type=item_get key=a status=not_found clsid=0 size=0",
                           "type=item_store key=a status=stored cmd=set ttl=0 clsid=1 size=3"]),
    ("gets a none", ["type=item_get key=a status=found clsid=1 size=3",
                     "type=item_get key=none status=not_found clsid=0 size=0"]),
    ("gat 0 a", ["type=item_get key=a status=found clsid=1 size=3"]),
    ("touch a 0", ["type=item_get key=a status=found clsid=1 size=3"]),
    ("add a 0 0 1\r\nx", ["type=item_get key=a status=found clsid=1 size=3",
                         "type=item_store key=a status=not_stored cmd=add ttl=0 clsid=1 size=1"]),
    ("append a 0 0 2\r\nde", ["type=item_get key=a status=found clsid=1 size=3",
                             "type=item_store key=a status=stored cmd=append ttl=0 clsid=1 size=5"]),
    ("cas a 0 0 1 0\r\nx", ["type=item_get key=a status=found clsid=1 size=5",
                           "type=item_store key=a status=exists cmd=cas ttl=0 clsid=1 size=1"]),
    ("cas none 0 0 1 1\r\nx", ["type=item_get key=none status=not_found clsid=0 size=0",
                              "type=item_store key=none status=not_found cmd=cas ttl=0 clsid=1 size=1"]),
    ("replace none 0 0 1\r\nx", ["type=item_get key=none status=not_found clsid=0 size=0",
                                "type=item_store key=none status=not_stored cmd=replace ttl=0 clsid=1 size=1"]),
    ("delete a", ["type=item_get key=a status=found clsid=1 size=5"]),
    ("delete a", ["type=item_get key=a status=not_found clsid=0 size=0"]),
    ("incr a 1", ["type=item_get key=a status=not_found clsid=0 size=0"]),
    ("set n 0 0 2 noreply\r\n41", ["type=item_get key=n status=not_found clsid=0 size=0",
                                  "type=item_store key=n status=stored cmd=set ttl=0 clsid=1 size=2"]),
    ("incr n 1", ["type=item_get key=n status=found clsid=1 size=2"]),
    ("set w 0 1 1\r\nx", ["type=item_get key=w status=not_found clsid=0 size=0",
                         "type=item_store key=w status=stored cmd=set ttl=1 clsid=1 size=1"]),
    ("mg n v", ["type=item_get key=n status=found clsid=1 size=2"]),
    ("me n", ["type=item_get key=n status=found clsid=1 size=2"]),
    ("mg made N0", ["type=item_get key=made status=not_found clsid=0 size=0"]),
    ("mg made", ["type=item_get key=made status=found clsid=1 size=0"]),
    ("ms m 2 ME\r\nab", ["type=item_get key=m status=not_found clsid=0 size=0",
                        "type=item_store key=m status=stored cmd=add ttl=0 clsid=1 size=2"]),
    ("ms m 2 C0 I\r\nab", ["type=item_get key=m status=found clsid=1 size=2",
                          "type=item_store key=m status=exists cmd=cas ttl=0 clsid=1 size=2"]),
    ("md m I", ["type=item_get key=m status=found clsid=1 size=2"]),
    ("md m q", ["type=item_get key=m status=found clsid=1 size=2"]),
    ("ms YS/DqSU= 1 b\r\nx", ["type=item_get key=a%2F%C3%A9%25 status=not_found clsid=0 size=0",
                             "type=item_store key=a%2F%C3%A9%25 status=stored cmd=set ttl=0 clsid=1 size=1"]),
]  # fmt: skip


class Watcher(Connection):
    def __init__(self, server: Server, streams: str) -> None:
        super().__init__(server)
        self._rest = b""
        self.send(f"watch {streams}\r\n".encode())
        answer = self.read_until(b"\r\n")
        if answer != b"OK\r\n":
            raise AssertionError(f"watch {streams}: {answer!r}")

    def lines(self, count: int) -> list[str]:
        """The next `count` lines."""
        while self._rest.count(b"\n") < count:
            received = self.receive()
            if not received:
                raise AssertionError(f"the watcher was closed: {self._rest!r}")
            self._rest += received
        *complete, self._rest = self._rest.split(b"\n", count)
        return [line.decode() for line in complete]

    def told(self, count: int) -> list[str]:
        """What the next lines say, without time, number and client."""
        found = [LINE.fullmatch(line) for line in self.lines(count)]
        return [re.sub(r" cfd=\d+", "", match[3]) for match in found]


def statistics(connection: Connection, what: str = "") -> dict[str, str]:
    lines = connection.ask(f"stats {what}\r\n".encode()).decode().splitlines()
    return dict(line.removeprefix("STAT ").split(" ", 1) for line in lines[:-1])


class WatchTest(unittest.TestCase):
    def start(self, *options: object) -> Server:
        server = servers.ours(*options)
        self.addCleanup(server.kill)
        return server

    def watcher(self, server: Server, streams: str) -> Watcher:
        watcher = Watcher(server, streams)
        self.addCleanup(watcher.close)
        return watcher

    def connection(self, server: Server) -> Connection:
        connection = Connection(server)
        self.addCleanup(connection.close)
        return connection

    def tells_by_the_table(self, server: Server) -> None:
        watcher, connection = self.watcher(server, "fetchers mutations"), self.connection(server)
        for said, expected in TOLD:
            connection.ask(f"{said}\r\n".encode())
            self.assertEqual(watcher.told(len(expected)), expected, said)

    def test_commands_are_told_by_the_table(self) -> None:
        self.tells_by_the_table(self.start())

    @unittest.skipUnless(servers.MEMCACHED, "memcached is not installed")
    def test_memcached_tells_by_the_table(self) -> None:
        with servers.theirs() as server:
            self.tells_by_the_table(server)

    def test_time_number_and_client(self) -> None:
        server = self.start()
        watcher, connection = self.watcher(server, ""), self.connection(server)
        begin = time.time()
        connection.ask(b"get a\r\nget b\r\n")
        lines = watcher.lines(2)
        fields = [dict(word.split("=") for word in line.split()) for line in lines]
        self.assertTrue(all(re.match(r"ts=\d+\.\d{6} ", line) for line in lines), lines)
        self.assertTrue(begin - 1 < float(fields[0]["ts"]) <= float(fields[1]["ts"]) < time.time() + 1)
        self.assertEqual(int(fields[0]["gid"]) + 1, int(fields[1]["gid"]))
        self.assertEqual(fields[0]["cfd"], fields[1]["cfd"])
        states = statistics(connection, "conns")
        self.assertIn(f"{fields[0]['cfd']}:addr", states)
        self.assertEqual(list(states.values()).count("conn_watch"), 1)

    def test_a_watcher_is_told_of_what_it_asked_for_only(self) -> None:
        server = self.start()
        mutations, deletions = self.watcher(server, "mutations"), self.watcher(server, "deletions proxyreqs")
        connection = self.connection(server)
        connection.ask(b"get a\r\nset a 0 0 2\r\nhi\r\ndelete a\r\nset b 0 0 1\r\nx\r\nmd b I\r\nmd b\r\ndelete b\r\n")
        self.assertEqual([line.split()[1] for line in mutations.told(2)], ["key=a", "key=b"])
        self.assertEqual(deletions.told(2), ["type=deleted key=a cmd=delete clsid=1 size=2",
                                             "type=deleted key=b cmd=md clsid=1 size=1"])

    def test_dead_items(self) -> None:
        server = self.start()
        watcher, connection = self.watcher(server, "fetchers"), self.connection(server)
        connection.ask(b"set f 0 0 1\r\nx\r\nflush_all\r\nget f\r\nget f\r\nset e 0 -1 1\r\nx\r\ngat 0 e\r\nget e\r\n")
        expected = ["not_found", "flushed", "not_found", "not_found", "expired", "not_found"]
        self.assertEqual([line.split()[2] for line in watcher.told(6)], [f"status={status}" for status in expected])
        counted = statistics(connection)
        self.assertEqual((counted["get_flushed"], counted["get_expired"], counted["get_misses"]), ("1", "1", "4"))

    def test_items_that_are_too_large(self) -> None:
        server = self.start()
        watcher, connection = self.watcher(server, "mutations"), self.connection(server)
        connection.ask(b"set a 0 0 2000000\r\n" + b"x" * 2_000_000 + b"\r\n")
        self.assertRegex(watcher.told(1)[0], r"^type=item_store key=a status=too_large cmd=set ttl=0 ")

    def test_evictions(self) -> None:
        server = self.start("--memory-limit", 4, "--max-item-size", 400_000)
        watcher, connection = self.watcher(server, "evictions"), self.connection(server)
        for i in range(30):
            connection.ask(b"set e:%d 0 %d 300000\r\n" % (i, i % 2 * 1000) + b"x" * 300_000 + b"\r\nget e:0\r\n")
        counted, items = statistics(connection), statistics(connection, "items")
        count = int(counted["evictions"])
        self.assertGreater(count, 10)
        lines = watcher.told(count)
        pattern = re.compile(r"type=eviction key=e%3A(\d+) fetch=(yes|no) ttl=(-1|\d+) la=\d+ clsid=1 size=300000")
        found = [pattern.fullmatch(line) for line in lines]
        evicted = [int(match[1]) for match in found]
        self.assertEqual(len(set(evicted)), count)
        for number, match in zip(evicted, found):
            self.assertEqual(match[2], "yes" if number == 0 else "no")
            self.assertEqual(match[3] == "-1", number % 2 == 0)
            self.assertEqual(connection.ask(b"get e:%d\r\n" % number), b"END\r\n")
        self.assertEqual(int(items["items:1:evicted"]), count)
        self.assertEqual(int(items["items:1:evicted_nonzero"]), sum(number % 2 for number in evicted))
        self.assertEqual(int(items["items:1:evicted_unfetched"]), count - evicted.count(0))
        self.assertEqual(int(items["items:1:number"]) + count, 30)

    def test_connections(self) -> None:
        server = self.start()
        watcher = self.watcher(server, "connevents")
        for said, reason in ((b"", "normal"), (b"quit\r\n", "normal"), (b"GET / HTTP/1.1\r\n", "error")):
            with Connection(server) as other:
                other.send(said)
                address = other.address
                if said:
                    self.assertEqual(other.receive(), b"")
            peer = f"rip=127.0.0.1 rport={address[1]} transport=tcp"
            self.assertEqual(watcher.told(2), [f"type=conn_new {peer}", f"type=conn_close {peer} reason={reason}"])

    def test_what_is_rolled_back_is_not_told(self) -> None:
        """Clients append to one item at once: transactions conflict, and each size is told once."""
        clients, appends = 4, 500
        server = self.start("--threads", clients)
        watcher = self.watcher(server, "mutations")
        with Connection(server) as connection:
            connection.ask(b"set a 0 0 0\r\n\r\n")

        def append() -> None:
            with Connection(server) as connection:
                connection.ask(b"append a 0 0 1 noreply\r\nx\r\n" * appends)

        threads = [threading.Thread(target=append) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        sizes = [int(line.rpartition("=")[2]) for line in watcher.told(1 + clients * appends)]
        self.assertEqual(sorted(sizes), list(range(1 + clients * appends)))

    def test_nobody_waits_for_a_slow_watcher(self) -> None:
        server = self.start()
        watcher, connection = self.watcher(server, "fetchers"), self.connection(server)
        batch, batches = 1000, 80
        for _ in range(batches):  # 16 MB of lines, which nobody reads
            connection.ask(b"mg %s\r\n" % (b"k" * 150) * batch)
        counted = statistics(connection)
        skipped = int(counted["log_watcher_skipped"])
        self.assertGreater(skipped, 0)
        self.assertEqual(int(counted["log_watcher_sent"]) + skipped, batch * batches)
        self.assertEqual((counted["log_worker_written"], counted["log_watchers"]), (str(batch * batches), "1"))
        self.reads_all(watcher, batch * batches)
        connection.ask(b"get after\r\n")
        self.assertIn("key=after", watcher.told(1)[0])

    def reads_all(self, watcher: Watcher, count: int) -> None:
        """Each line is there, in order, or counted where it is missing."""
        last = missing = 0
        while last + missing < count:
            line = watcher.lines(1)[0]
            if line.startswith("skipped="):
                self.assertEqual(missing, 0)
                missing = int(line.removeprefix("skipped="))
                self.assertGreater(missing, 0)
            else:
                number = int(LINE.fullmatch(line)[2])
                self.assertEqual(number, last + missing + 1)
                last, missing = number, 0

    def test_watchers_are_limited(self) -> None:
        server = self.start()
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(contextlib.closing(Watcher(server, "mutations")))
            connection = self.connection(server)
            connection.send(b"watch mutations\r\n")
            self.assertEqual(connection.read_until(b"\r\n"), b"WATCHER_TOO_MANY log watcher limit reached\r\n")
            self.assertEqual(connection.ask(b"version\r\n").split()[0], b"VERSION")
            self.assertEqual(statistics(connection)["log_watchers"], "20")
        end = time.monotonic() + PATIENCE
        while statistics(connection)["log_watchers"] != "0" and time.monotonic() < end:
            time.sleep(0.02)
        self.watcher(server, "mutations")


if __name__ == "__main__":
    servers.main()
