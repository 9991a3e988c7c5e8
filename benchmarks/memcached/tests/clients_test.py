"""Public clients work with the server: libmemcached's capability test, and those of Python."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import unittest

import servers
from servers import PATIENCE, Server


def installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


class ClientsTest(unittest.TestCase):
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = servers.ours()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.kill()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    @unittest.skipUnless(shutil.which("memccapable"), "memccapable (libmemcached-tools) is not installed")
    def test_memccapable(self) -> None:
        command = ["memccapable", "-a", "-h", "127.0.0.1", "-p", str(self.server.port)]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("All tests passed", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ascii \w+.*\[pass\]$")

    @unittest.skipUnless(installed("pymemcache"), "pymemcache is not installed")
    def test_pymemcache(self) -> None:
        base = importlib.import_module("pymemcache.client.base")
        client = base.Client(("127.0.0.1", self.server.port), default_noreply=False, timeout=PATIENCE)
        self.addCleanup(client.close)
        self.assertTrue(client.set("p1", b"one", expire=100))
        self.assertFalse(client.add("p1", b"two"))
        self.assertTrue(client.append("p1", b"!"))
        self.assertEqual(client.get("p1"), b"one!")
        self.assertEqual(client.set_many({"p2": b"2", "p3": b"3"}), [])
        self.assertEqual(client.get_many(["p2", "p3", "p4"]), {"p2": b"2", "p3": b"3"})
        value, cas = client.gets("p2")
        self.assertEqual(value, b"2")
        self.assertTrue(client.cas("p2", b"20", cas))
        self.assertFalse(client.cas("p2", b"30", cas))
        self.assertEqual(client.incr("p2", 5), 25)
        self.assertEqual(client.decr("p2", 30), 0)
        self.assertTrue(client.touch("p2", 10))
        self.assertTrue(client.delete("p2"))
        self.assertFalse(client.delete("p2"))
        self.assertGreaterEqual(client.stats()[b"curr_items"], 2)
        client.set("large", b"x" * 500_000)
        self.assertEqual(client.get("large"), b"x" * 500_000)
        self.assertTrue(client.flush_all())
        self.assertIsNone(client.get("p1"))

    @unittest.skipUnless(installed("pylibmc"), "pylibmc is not installed")
    def test_pylibmc(self) -> None:
        pylibmc = importlib.import_module("pylibmc")
        client = pylibmc.Client([self.place], behaviors={"cas": True})
        self.assertTrue(client.set("l1", {"a": [1, 2, 3]}))
        self.assertEqual(client.get("l1"), {"a": [1, 2, 3]})
        self.assertTrue(client.set_multi({"l2": 1, "l3": "text"}) == [])
        self.assertEqual(client.get_multi(["l2", "l3", "l4"]), {"l2": 1, "l3": "text"})
        self.assertEqual(client.incr("l2", 41), 42)
        value, cas = client.gets("l3")
        self.assertTrue(client.cas("l3", value + "!", cas))
        self.assertEqual(client.get("l3"), "text!")
        self.assertTrue(client.delete("l3"))
        self.assertIsNone(client.get("l3"))
        self.assertTrue(client.touch("l2", 100))
        self.assertEqual(len(client.get_stats()), 1)

    @unittest.skipUnless(installed("memcache"), "python-memcached is not installed")
    def test_python_memcached(self) -> None:
        memcache = importlib.import_module("memcache")
        client = memcache.Client([self.place], cache_cas=True)
        self.assertTrue(client.set("m1", {"a": 1}, time=100))
        self.assertEqual(client.get("m1"), {"a": 1})
        self.assertFalse(client.add("m1", 2))
        self.assertTrue(client.replace("m1", 2))
        self.assertEqual(client.gets("m1"), 2)
        self.assertTrue(client.cas("m1", 3))
        self.assertEqual(client.incr("m1"), 4)
        self.assertEqual(client.set_multi({"m2": "x", "m3": "y"}), [])
        self.assertEqual(client.get_multi(["m1", "m2", "m3"]), {"m1": 4, "m2": "x", "m3": "y"})
        self.assertEqual(client.delete("m2"), 1)
        self.assertEqual(len(client.get_stats()), 1)
        client.disconnect_all()


if __name__ == "__main__":
    servers.main()
