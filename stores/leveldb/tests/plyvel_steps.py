"""What plyvel's users do, each step with what came of it: the same with any store under it (suites_test.py)."""

from __future__ import annotations

import hashlib
import random
import sys
import threading

import plyvel


def say(name: str, value: object) -> None:
    print(f"{name}: {value!r}".replace(sys.argv[1], "<folder>"))


def attempt(name: str, function: object, *arguments: object, **options: object) -> None:
    try:
        say(name, function(*arguments, **options))
    except (plyvel.Error, TypeError, RuntimeError) as error:
        say(name, f"{type(error).__name__}: {error}")


def batches(database: plyvel.DB) -> None:
    with database.write_batch(sync=True) as batch:
        for number in range(1000):
            batch.put(b"%06d" % number, b"value %d" % number)
        batch.delete(b"000500")
    try:
        with database.write_batch(transaction=True) as batch:
            batch.put(b"never", b"there")
            raise ValueError
    except ValueError:
        pass
    say("never", database.get(b"never"))
    say("with default", database.get(b"never", b"default"))
    say("count", sum(1 for _ in database))


def iterators(database: plyvel.DB) -> None:
    say("range", list(database.iterator(start=b"000497", stop=b"000503")))
    say("open range", list(database.iterator(start=b"000497", stop=b"000503", include_start=False, include_stop=True)))
    say("backwards", list(database.iterator(start=b"000990", reverse=True, include_value=False)))
    say("prefix", list(database.iterator(prefix=b"00012", include_key=False)))
    with database.iterator() as iterator:
        iterator.seek(b"000400")
        say("next", [next(iterator), next(iterator), iterator.prev(), iterator.prev(), iterator.prev()])
        iterator.seek_to_stop()
        say("last", iterator.prev())
        iterator.seek_to_start()
        say("first", next(iterator))
    with database.raw_iterator() as iterator:
        say("valid", iterator.valid())
        iterator.seek_to_last()
        say("raw", [iterator.key(), iterator.value(), iterator.item()])
        iterator.next()
        say("valid", iterator.valid())


def snapshots(database: plyvel.DB) -> None:
    with database.snapshot() as snapshot:
        iterator = database.iterator()
        for number in range(0, 1000, 2):
            database.delete(b"%06d" % number)
        database.put(b"000001", b"new")
        say("now", [database.get(b"000001"), database.get(b"000002"), sum(1 for _ in database)])
        say("then", [snapshot.get(b"000001"), snapshot.get(b"000002"), sum(1 for _ in snapshot)])
        say("iterator", sum(1 for _ in iterator))


def prefixed(database: plyvel.DB) -> None:
    part = database.prefixed_db(b"part/")
    part.put(b"one", b"1")
    say("part", [part.get(b"one"), database.get(b"part/one"), list(part)])


def threads(database: plyvel.DB) -> None:
    def write(number: int) -> None:
        for i in range(200):
            database.put(b"thread %d %d" % (number, i), b"x")
    running = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    say("threads", sum(1 for _ in database.iterator(prefix=b"thread")))


def randomly(database: plyvel.DB) -> None:
    chance = random.Random(7)
    for _ in range(3000):
        key = b"random %d" % chance.randrange(300)
        if chance.random() < 0.5:
            database.put(key, chance.randbytes(chance.randrange(200)))
        else:
            database.delete(key)
    text = b"".join(key + value for key, value in database.iterator(prefix=b"random"))
    say("random", hashlib.sha256(text).hexdigest())
    say("keys", list(database.iterator(prefix=b"random", include_value=False)))


def backwards(left: bytes, right: bytes) -> int:
    return (left < right) - (left > right)


def other_orders(folder: str) -> None:
    options = {"comparator": backwards, "comparator_name": b"backwards"}
    database = plyvel.DB(folder, create_if_missing=True, **options)
    for letter in b"hello world":
        database.put(bytes([letter]), b"")
    say("backwards", list(database.iterator(include_value=False)))
    database.close()
    attempt("another order", plyvel.DB, folder)
    database = plyvel.DB(folder, **options)
    say("again", len(list(database)))
    database.close()


def main() -> None:
    folder = sys.argv[1]
    attempt("missing", plyvel.DB, folder)
    database = plyvel.DB(folder, create_if_missing=True, bloom_filter_bits=10, write_buffer_size=1 << 16)
    say("put", database.put(b"key", b"value"))
    say("get", [database.get(b"key"), database.get(b"none")])
    attempt("locked", plyvel.DB, folder)
    for steps in (batches, iterators, snapshots, prefixed, threads, randomly):
        steps(database)
    say("property", database.get_property(b"no such"))
    say("level", database.get_property(b"leveldb.num-files-at-level7"))
    database.compact_range()
    database.close()
    attempt("closed", database.get, b"key")
    attempt("exists", plyvel.DB, folder, error_if_exists=True)
    other_orders(folder + ".backwards")
    plyvel.repair_db(folder)
    database = plyvel.DB(folder)
    say("after repair", database.get(b"key"))
    database.close()
    plyvel.destroy_db(folder)
    attempt("gone", plyvel.DB, folder)


if __name__ == "__main__":
    main()
