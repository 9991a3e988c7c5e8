"""Clients that are broken, slow, or many."""

from __future__ import annotations

import os
import random
import resource
import socket
import tempfile
import unittest
from pathlib import Path

import servers
from servers import PATIENCE, Connection, Server

CONNECTIONS = 10_000 if os.environ.get("LONG_TESTS") else 500
LARGE = 900_000


class BadInputTest(unittest.TestCase):
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = servers.ours()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.kill()

    def test_control_characters_in_keys(self) -> None:
        with Connection(self.server) as client:
            for character in (b"\x00", b"\x01", b"\t", b"\x7f", b"\r"):
                for command in (b"get a%sb\r\n", b"delete a%sb\r\n", b"incr a%sb 1\r\n", b"mg a%sb\r\n"):
                    answer = client.ask(command % character)
                    self.assertEqual(answer, b"CLIENT_ERROR bad command line format\r\n", (command, character))

    def test_a_request_may_come_byte_by_byte(self) -> None:
        with Connection(self.server) as client:
            for byte in b"set slow 0 0 5\r\na\r\nb\n\r\nget slow\r\n":
                client.send(bytes([byte]))
            self.assertEqual(client.read_until(b"END\r\n"), b"STORED\r\nVALUE slow 0 5\r\na\r\nb\n\r\nEND\r\n")

    def test_a_half_request_hinders_nobody(self) -> None:
        halves = [Connection(self.server) for _ in range(20)]
        for half, connection in enumerate(halves):
            connection.send(b"set half%d 0 0 100000\r\nhalf of it" % half)
        with Connection(self.server) as client:
            self.assertEqual(client.ask(b"mg half0\r\n"), b"EN\r\n")
        for connection in halves:
            connection.close()
        with Connection(self.server) as client:
            self.assertEqual(client.ask(b"mg half0\r\n"), b"EN\r\n")

    def test_a_data_block_without_its_end(self) -> None:
        with Connection(self.server) as client:
            self.assertEqual(client.ask(b"set a 0 0 3\r\nz\r\nabc\r\n"), b"CLIENT_ERROR bad data chunk\r\nERROR\r\n")
            self.assertEqual(client.ask(b"set a 0 0 3\r\nabc\n\n"), b"CLIENT_ERROR bad data chunk\r\n")
            self.assertEqual(client.ask(b"set a 0 0 3 noreply\r\nabcde"), b"")

    def test_an_endless_line_ends_the_connection(self) -> None:
        with Connection(self.server) as client:
            client.send(b"x" * 5000)
            self.assertEqual(client.receive(), b"")

    def test_a_value_that_is_too_large_is_swallowed(self) -> None:
        with Connection(self.server) as client:
            client.send(b"set a 0 0 50000000\r\n")
            self.assertEqual(client.read_until(b"\r\n"), b"SERVER_ERROR object too large for cache\r\n")
            for _ in range(500):
                client.send(b"get a\r\n".ljust(100_000, b"x"))
            self.assertEqual(client.ask(b"\r\nmg a\r\n"), b"EN\r\n")

    def test_a_client_that_does_not_read_hinders_nobody(self) -> None:
        with Connection(self.server) as idle, Connection(self.server) as client:
            client.ask(b"set large 0 0 %d\r\n%s\r\n" % (LARGE, b"x" * LARGE))
            idle.send(b"get large\r\n" * 200)  # 180 MB of answers
            self.assertEqual(client.ask(b"mg large s\r\n"), b"HD s%d\r\n" % LARGE)
            received = 0
            expected = 200 * len(b"VALUE large 0 %d\r\n%s\r\nEND\r\n" % (LARGE, b"x" * LARGE))
            while received < expected:
                received += len(idle.receive(1 << 20))
            self.assertEqual(idle.ask(b""), b"")

    def test_large_values_of_any_length(self) -> None:
        generator = random.Random(1)
        with Connection(self.server) as client:
            for size in (0, 1, 16_000, 16_384, 65_536, 1_000_000):
                value = generator.randbytes(size)
                answer = client.ask(b"set a 7 0 %d\r\n%s\r\nget a\r\n" % (size, value))
                self.assertEqual(answer, b"STORED\r\nVALUE a 7 %d\r\n%s\r\nEND\r\n" % (size, value))

    def test_noise_is_survived(self) -> None:
        generator = random.Random(2)
        words = (b"get", b"set", b"ms", b"mg", b"ma", b"a", b"0", b"-1", b"99999999999999999999", b"noreply", b"T1",
                 b"b", b"\xff", b"stats", b"cas", b"incr", b"flush_all", b"\r", b"gat", b"2")
        for _ in range(200):
            lines = [b" ".join(generator.choices(words, k=generator.randint(0, 8))) for _ in range(20)]
            with Connection(self.server) as client:
                client.send(b"\r\n".join(lines) + b"\r\n" + generator.randbytes(50))
        with Connection(self.server) as client:
            self.assertEqual(client.ask(b"ms alive 3\r\nyes\r\nmg alive v\r\n"), b"HD\r\nVA 3\r\nyes\r\n")

    def test_many_requests_at_once(self) -> None:
        with Connection(self.server) as client:
            count = 20_000
            client.send(b"".join(b"set n%d 0 0 5 noreply\r\n%05d\r\n" % (i % 100, i) for i in range(count)))
            self.assertEqual(client.ask(b"mg n99 v\r\n"), b"VA 5\r\n%05d\r\n" % (count - 1))


class ConnectionsTest(unittest.TestCase):
    def test_connections_up_to_the_limit(self) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        count = min(CONNECTIONS, most - 200)
        with servers.ours("--connection-limit", count) as server:
            clients = [Connection(server) for _ in range(count)]
            for number, client in enumerate(clients):
                client.send(b"ms c%d 2\r\nok\r\n" % number)
            for client in clients:
                self.assertEqual(client.read_until(b"\r\n"), b"HD\r\n")
            with Connection(server) as refused:
                self.assertEqual(refused.read_until(b"\r\n"), b"ERROR Too many open connections\r\n")
                self.assertEqual(refused.receive(), b"")
            stats = clients[0].ask(b"stats\r\n")
            self.assertIn(b"STAT curr_connections %d\r\n" % count, stats)
            self.assertIn(b"STAT rejected_connections 1\r\n", stats)
            for client in clients[1:]:
                client.close()
            self.accept_again(server, clients[0])
            clients[0].close()

    def accept_again(self, server: Server, client: Connection) -> None:
        while b"STAT curr_connections 1\r\n" not in client.ask(b"stats\r\n"):
            pass
        with Connection(server) as another:
            self.assertEqual(another.ask(b"mg c1 v\r\n"), b"VA 2\r\nok\r\n")

    def test_a_unix_socket(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "socket"
            with servers.ours("--unix-socket", path), socket.socket(socket.AF_UNIX) as client:
                client.settimeout(PATIENCE)
                client.connect(str(path))
                client.sendall(b"version\r\n")
                self.assertRegex(client.recv(100), rb"^VERSION .*\r\n$")


if __name__ == "__main__":
    servers.main()
