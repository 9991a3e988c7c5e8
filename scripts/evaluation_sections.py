"""What scripts/evaluation.py tells of: each figure and table of the papers, with what the paper says of it, and what
goes beyond; and which numbers of a result say what is seen here."""

from __future__ import annotations

from dataclasses import dataclass

from panels_eurosys20 import CONSTRUCTIONS


@dataclass(frozen=True)
class Section:
    name: str  # the results are results/<name>.csv, .txt and .svg
    title: str
    paper: str = ""  # what it says; empty: no paper has it
    # Of a campaign: which libraries are compared, throughput over throughput; modes (`_ip`): each algorithm's.
    compared: tuple[tuple[str, str], ...] = ()
    # Of any other measurement: the column that is told, for each value of these, where others have these.
    value: str = ""
    by: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()


FAST = "orec_lazy_fast"
MODES = (("_ip", "_gp"), ("_gpw", "_ip"), ("_fast", "_gpw"))


def _table(number: int, title: str, paper: str, by: tuple[str, ...] = ("algorithm", "variant")) -> Section:
    """Of the PACT'19 paper: speed-ups."""
    return Section(f"table{number}", title, paper, value="median", by=by)


FAMILY = ((FAST, "pmemobj"), (FAST, "floor"), *((library, FAST) for library in CONSTRUCTIONS),
          (CONSTRUCTIONS[0], "pmemobj"))
STORES = (("perdure_leveldb", "rocksdb"), ("perdure_leveldb", "leveldb"))
EUROSYS20 = (
    Section("eurosys4", "EuroSys'20, Figure 4: swaps",
            "more threads make fewer.", FAMILY),
    Section("eurosys5", "EuroSys'20, Figure 5: a queue",
            "with more threads RedoOpt flushes less and makes more.", FAMILY),
    Section("eurosys6", "EuroSys'20, Figure 6: list, tree and hash sets",
            "RedoOpt makes two or three times as much as PMDK.",
            FAMILY),
    Section("eurosys7", "EuroSys'20, Figure 7: stores of two sizes",
            "beside a writer up to 14 times RocksDB.", STORES),
    Section("eurosys8", "EuroSys'20, Figure 8: volatile bytes of stores that are filled",
            "RedoDB takes more memory, and twice the storage.",
            value="volatile_bytes", by=("library",), where=(("threads", "1"),)),
    Section("eurosys9", "EuroSys'20, Figure 9: stores are filled",
            "RedoDB is faster, for it flushes less.", STORES),
)
SECTIONS = (
    Section("fig1", "PACT'19, Figure 1: from a lock to persistent transactions",
            "a lock is 2 to 3 times as fast as an STM, undo logs make it 10 times slower, redo logs 2 times.",
            (("lock_stm", "orec_lazy_stm"), ("lock_eager_naive", "lock_stm"), ("lock_lazy_naive", "lock_stm"),
             (FAST, "lock_lazy_naive"))),
    Section("fig2", "PACT'19, Figure 2: volatile and naively persistent transactions",
            "durability favours lazy algorithms.",
            (("_naive", "_stm"), ("orec_lazy_naive", "orec_eager_naive"), ("tlrw_naive", "orec_lazy_naive"))),
    Section("fig3", "PACT'19, Figure 3: the general and the ideal model",
            "gp gains 1.22 in the mean.",
            (*MODES, (FAST, "floor"))),
    _table(1, "PACT'19, Table I: self-relative pointers", "they make a volatile program slower."),
    _table(2, "PACT'19, Table II: last-allocation tracking",
           "1.03 to 1.52; NOrec loses."),
    _table(3, "PACT'19, Table III: coarse logging", "1.02 to 1.46; NOrec loses.", by=("variant",)),
    _table(4, "PACT'19, Table IV: fence pipelining of TLRW", "1.01 to 1.14."),
    _table(5, "PACT'19, Table V: deferred flushing",
           "0.97 to 2.7."),
    Section("icfp21-fig6", "ICFP'21, Figure 6: persistent sets beside a library's",
            "PSTM is better below 80 % look-ups.",
            ((FAST, "pmemobj"), (FAST, "pmemobj_fine"), (FAST, "floor"))),
    Section("icfp21-fig8", "ICFP'21, Figure 8: persistent sets beside volatile ones",
            "persistence costs 1.4 to 2.4 times.",
            (("orec_lazy_stm", FAST), ("orec_lazy_stm", "orec_lazy_ip"))),
    *EUROSYS20,
    Section("memoisation", "ICFP'21, Table 1: memoisation",
            "2.9 to 4.8 times as long.", value="seconds", by=("program",),
            where=(("run", "1"),)),
    Section("atc20", "ATC'20, Figures 5 to 8 and 10: the small programs of go-pmem",
            "go-pmem is 2 to 10 times as fast as PMDK.", value="times", by=("library",)),
    Section("peers", "Other systems", compared=((FAST, "pmemobj"), (FAST, "pmemobj_fine"), ("orec_lazy_stm", "libitm"),
                                                (FAST, "rocksdb"), (FAST, "leveldb"))),
    Section("disk", "Pools on a disk", compared=tuple((FAST, other) for other in (
        "floor_disk", "lmdb", "sqlite", "leveldb", "rocksdb", "rocksdb_tuned"))),
    Section("stores", "Stores with LevelDB's interface",
            compared=(("perdure_leveldb", "leveldb"), ("perdure_leveldb", "rocksdb"))),
    Section("fast", "The mode fast", compared=((FAST, "floor"), (FAST, "lock_stm"))),
    Section("latency", "Latency of TATP, 100,000 a second: p99 in microseconds", value="latency_p99_us",
            by=("library",), where=(("panel", "tatp-100k"),)),
    Section("scale", "Simulated: 1 to 64 cores"),
    Section("scale_eurosys20", "Simulated: EuroSys'20"),
    Section("memcached", "The memcached server"),
)
