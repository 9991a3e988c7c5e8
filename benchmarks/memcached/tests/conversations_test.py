"""Every command's answers, byte by byte, by the table conversations.txt; and that memcached gives the same."""

from __future__ import annotations

import re
import time
import unittest
from pathlib import Path

import servers
from servers import Connection, Server

TABLE = Path(__file__).with_name("conversations.txt")
MOST_ATTEMPTS = 5  # answers that say how many seconds are left differ when one passes meanwhile
PAUSE = 1.0  # seconds; memcached's crawler may be at the last request still, or may not have stopped yet
LONG_TEXT = re.compile(r"\{([a-z])(\d+)\}")

Exchange = tuple[list[str], list[str]]  # what is said, what is answered


def conversations() -> list[list[Exchange]]:
    found: list[list[Exchange]] = [[]]
    for line in TABLE.read_text().splitlines():
        if not line:
            found.append([])
        elif line.startswith(">"):
            if not found[-1] or found[-1][-1][1]:
                found[-1].append(([], []))
            found[-1][-1][0].append(line[2:])
        elif line.startswith("<"):
            found[-1][-1][1].append(line[2:])
    return [conversation for conversation in found if conversation]


def expanded(lines: list[str]) -> bytes:
    text = "".join(f"{line}\r\n" for line in lines).replace("{keys}", "abc " * 3000)
    return LONG_TEXT.sub(lambda match: match[1] * int(match[2]), text).encode()


def pattern_of(lines: list[str]) -> re.Pattern[bytes]:
    literal = re.escape(expanded([line for line in lines if line != "(closed)"]))
    return re.compile(literal.replace(rb"\{cas\}", rb"(\d+)").replace(rb"\{any\}", rb"\S+"))


class ConversationsTest(unittest.TestCase):
    def hold(self, server: Server, conversation: list[Exchange]) -> str:
        """:return: what differs, or an empty text."""
        cas = "0"
        with Connection(server) as connection:
            connection.ask(b"flush_all\r\n")
            for said, answers in conversation:
                answer = connection.ask(expanded([line.replace("{cas}", cas) for line in said]))
                match = pattern_of(answers).fullmatch(answer)
                if match is None:
                    return f"to {said} the answer is {answer[:500]!r}, not {answers}"
                if "(closed)" in answers and connection.receive():
                    return f"to {said} the server does not close the connection"
                cas = next((number.decode() for number in reversed(match.groups())), cas)
        return ""

    def hold_all(self, server: Server) -> None:
        table = conversations()
        self.assertGreater(len(table), 150)
        for conversation in table:
            with self.subTest(said=conversation[0][0]):
                attempts = 1
                while (wrong := self.hold(server, conversation)) and attempts < MOST_ATTEMPTS:
                    attempts += 1
                    time.sleep(PAUSE)
                self.assertEqual(wrong, "")

    def test_the_server_answers_by_the_table(self) -> None:
        with servers.ours() as server:
            self.hold_all(server)

    @unittest.skipUnless(servers.MEMCACHED, "memcached is not installed")
    def test_memcached_answers_by_the_table(self) -> None:
        with servers.theirs() as server:
            self.hold_all(server)


if __name__ == "__main__":
    servers.main()
