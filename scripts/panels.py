"""What is measured: a table of panels.

A panel is one graph: a benchmark with a preset, for some numbers of threads. A campaign measures panels on libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from library_table import LIBRARIES, SINGLE_THREADED, YARDSTICKS, algorithms, of_mode

# In the order of tables and legends: yardsticks and peers first, then volatile, then durable libraries.
QUICK_LIBRARIES = ("floor", "pmemobj", "lock_stm", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")
# Other systems under the same workloads (benchmarks/peers).
STORES = ("rocksdb", "rocksdb_tuned", "leveldb", "lmdb", "sqlite")
STORE_BENCHMARKS = ("tatp", "ycsb", "counter")
STORE_FRONT = "perdure_leveldb"  # LevelDB's interface over pools (stores/leveldb)
STORE_FRONT_BENCHMARK = "stores"
FLOOR_ON_DISK = "floor_disk"  # the least that durability costs on a disk (benchmarks/peers/floor_disk)
FINE_GRAINED = "pmemobj_fine"  # where libpmemobj's own locks are what one would write
FINE_GRAINED_BENCHMARKS = ("tatp", "sps", "queue", "sets")  # of sets the hash table
PEERS = ("pmemobj", FINE_GRAINED, "mutex", "libitm", *STORES)
STORE_FRONTS = (STORE_FRONT, "leveldb", "rocksdb")
UNCOUNTED = (*PEERS, STORE_FRONT)  # their flushes are not counted
PEER_LIBRARIES = (*PEERS, "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")
SERVERS = {"memcached"}  # have a thread more than they are told to have


def all_libraries() -> tuple[str, ...]:
    """Those of the build's table, and the peer that is a library: yardsticks first, then volatile, then durable
    ones."""
    volatile = [library.name for library in LIBRARIES.values() if not library.durable]
    durable = [library.name for library in LIBRARIES.values() if library.durable]
    return (*YARDSTICKS, "pmemobj", *volatile, *durable)


@dataclass(frozen=True)
class Point:
    """One bar or one dot: everything about a run but the trial."""

    panel: str
    benchmark: str
    preset: str
    library: str
    threads: int
    arguments: tuple[str, ...]

    def program(self) -> str:
        return f"{self.benchmark}_{self.library}"

    def __str__(self) -> str:
        return f"{self.panel:<15} {self.library:<16} {self.threads} thread{'s' if self.threads > 1 else ' '}"


@dataclass(frozen=True)
class Panel:
    name: str  # unique; a column of the results
    title: str
    benchmark: str  # the program is <benchmark>_<library>
    preset: str
    arguments: tuple[str, ...] = ()
    letter: str = ""  # of the PACT'19 paper's Figures 2 and 3 (docs/benchmarks.md)
    threads: tuple[int, ...] = (1, 2, 4)
    trials: int = 0  # at most; 0: as many as the campaign says
    libraries: tuple[str, ...] = ()  # only these of the campaign's; empty: all

    def points(self, libraries: tuple[str, ...]) -> Iterator[Point]:
        """Libraries in the inner loop: what is compared runs close together in time."""
        for threads in self.threads:
            for library in filter(self._runs, libraries):
                if threads == 1 or library not in SINGLE_THREADED:
                    yield Point(self.name, self.benchmark, self.preset, library, threads, self.arguments)

    def _runs(self, library: str) -> bool:
        if self.libraries and library not in self.libraries:
            return False
        if self.benchmark == STORE_FRONT_BENCHMARK:
            return library in STORE_FRONTS
        if self.benchmark in SERVERS and library in SINGLE_THREADED:
            return False
        if library == FINE_GRAINED:
            return self.benchmark in FINE_GRAINED_BENCHMARKS and (self.benchmark != "sets" or "hash" in self.arguments)
        return library not in STORES or self.benchmark in STORE_BENCHMARKS


@dataclass(frozen=True)
class Campaign:
    description: str
    result: str  # results/<result>.csv, .txt, .png, .pdf
    panels: tuple[Panel, ...]
    libraries: tuple[str, ...]
    trials: int
    seconds: float
    warmup: float


TREE_INSERT = Panel("bptree-insert", "B+ tree, insertions (keys below 2^22)", "bptree", "insert", letter="b")
TREE_MIX = Panel("bptree-mix", "B+ tree, equal mix of look-up, insertion, range query, removal", "bptree", "mix",
                 letter="c")
TPCC_TREE = Panel("tpcc-tree", "TPC-C New Order over B+ trees, PACT'19 preset", "tpcc", "pact19", ("--index", "tree"),
                  "d")
TPCC_HASH = Panel("tpcc-pact19", "TPC-C New Order, PACT'19 preset (1 warehouse, 2–4 lines)", "tpcc", "pact19",
                  letter="e")
TATP = Panel("tatp", "TATP Update Location (100,000 subscribers)", "tatp", "pact19", letter="f")
VACATION_LOW = Panel("vacation-low", "Vacation, low contention", "vacation", "low", letter="g")
VACATION_HIGH = Panel("vacation-high", "Vacation, high contention", "vacation", "high", letter="h")
MEMCACHED = Panel("memcached", "memcached, 90 % gets, as many client threads as the server has", "memcached", "pact19",
                  letter="i")
PACT19 = (TREE_INSERT, TREE_MIX, TPCC_TREE, TPCC_HASH, TATP, VACATION_LOW, VACATION_HIGH, MEMCACHED)
# The paper's (a) is no measurement, so the letter is free.
TPCC_STANDARD = Panel("tpcc-standard", "TPC-C New Order, standard preset (1 warehouse per thread, 5–15 lines)", "tpcc",
                      "standard", letter="a")
TATP_STANDARD = Panel("tatp-standard", "TATP, standard mix", "tatp", "standard")
# Where the campaign runs, which is a disk. Of all libraries these alone wait for one.
TATP_ON_DISK = Panel("tatp-disk", "TATP Update Location, synchronised to disk", "tatp", "pact19", ("--directory", "."),
                     libraries=STORES)


def _on_disk(panel: Panel, threads: tuple[int, ...]) -> Panel:
    """Where the campaign runs, as above."""
    return replace(panel, name=f"{panel.name}-on-disk", title=f"{panel.title}, on a disk",
                   arguments=(*panel.arguments, "--directory", "."), letter="", threads=threads)


SWAPS = tuple(
    Panel(f"sps-{swaps}", f"Swaps in an array, {swaps} a transaction", "sps", "eurosys20", ("--swaps", str(swaps)))
    for swaps in (1, 8, 64)
)
DISK_THREADS = (1, 2, 16, 64)


def _opened(panel: Panel, name: str, title: str, *arguments: str) -> Panel:
    """Of the libraries that have a log on disks: the pool opened otherwise."""
    return replace(panel, name=f"{panel.name}-{name}", title=f"{panel.title}, {title}",
                   arguments=(*panel.arguments, *arguments), letter="", libraries=of_mode("fast"))


def _acknowledgements(panel: Panel) -> tuple[Panel, ...]:
    """What waiting for the disk costs: without, with a log that nobody waits for, and on tmpfs. And what checkpoints
    cost: with a log so small that they go on all the time, and with one so large that there are none."""
    on_disk = _on_disk(panel, DISK_THREADS)
    return (_opened(on_disk, "relaxed", "10 ms late", "--acknowledgement", "relaxed"),
            _opened(on_disk, "process", "surviving kills only", "--durability", "process"),
            _opened(replace(panel, threads=DISK_THREADS), "on-tmpfs", "on tmpfs"),
            _opened(on_disk, "checkpoints", "always in a checkpoint", "--log-mebibytes", "1"),
            _opened(on_disk, "no-checkpoints", "without checkpoints", "--log-mebibytes", "256"))


YCSB_A = Panel("ycsb-a", "YCSB A: half of the transactions set a field of a record", "ycsb", "a")
YCSB_F = Panel("ycsb-f", "YCSB F: half of the transactions read a record and increment a field", "ycsb", "f")
COUNTER = Panel("counter", "One hot counter", "counter", "one")
QUEUE = Panel("queue", "Linked queue of 1,000 items", "queue", "eurosys20")
STRUCTURES = {"list": "Sorted list of 10,000 keys", "tree": "Red-black tree", "hash": "Hash table",
              "std_set": "std::set", "std_unordered_set": "std::unordered_set"}


def _sets(structure: str, updates: int) -> Panel:
    arguments = ("--structure", structure, "--updates", str(updates))
    title = f"{STRUCTURES[structure]}, {updates} % updates"
    return Panel(f"{structure}-{updates}", title, "sets", "eurosys20", arguments)


def _shuffled(panel: Panel) -> Panel:
    """A set whose blocks are reused at once keeps the order of its keys in memory; others lose it in time."""
    return replace(panel, name=f"{panel.name}-shuffled", title=f"{panel.title}, neighbours far apart",
                   arguments=(*panel.arguments, "--shuffled"))


SETS = tuple(_sets(structure, updates) for structure in STRUCTURES for updates in (100, 10, 1))


def _icfp21(structure: str, title: str) -> tuple[Panel, ...]:
    """Krauter et al., ICFP'21, section 5: from updates only to look-ups only, with as many threads as the machine has;
    two shares of look-ups with fewer threads and more."""
    return tuple(
        Panel(f"icfp21-{structure}-{look_ups}", f"{title}, {look_ups} % look-ups", "sets", "icfp21",
              ("--structure", structure, "--updates", str(100 - look_ups)),
              threads=(1, 2, 4) if look_ups in (50, 90) else (2,))
        for look_ups in (0, 20, 50, 80, 90, 100))


STORE_THREADS = (1, 2, 4, 16)
STORE_MIXES = {
    "fillseq": "keys in their order", "fillrandom": "keys in random order", "overwrite": "new values of keys",
    "readrandom": "random keys are read", "readseq": "entries in their order",
    "readreverse": "entries from the last to the first", "readwhilewriting": "random keys are read beside a writer",
    "seekrandom": "iterators at random keys", "deleterandom": "random keys are deleted",
    "fill100K": "values of 100,000 bytes", "a": "half updates", "b": "5 % updates", "c": "reads only",
    "d": "reads of what is new, 5 % insertions", "e": "scans, 5 % insertions", "f": "half read, change and write"}


def _store(mix: str) -> Panel:
    whose = "YCSB " + mix.upper() if len(mix) == 1 else mix
    name = f"stores-ycsb-{mix}" if len(mix) == 1 else f"stores-{mix}"
    return Panel(name, f"{whose}: {STORE_MIXES[mix]}", STORE_FRONT_BENCHMARK, mix, threads=STORE_THREADS)


def _unsynchronised(panel: Panel) -> Panel:
    """On tmpfs a kill takes nothing all the same."""
    return replace(panel, name=f"{panel.name}-no-sync", title=f"{panel.title}, without sync",
                   arguments=(*panel.arguments, "--no-sync"))


STORE_PANELS = (
    *(_store(mix) for mix in STORE_MIXES),
    *(_unsynchronised(_store(mix)) for mix in ("fillrandom", "overwrite", "a")),
    *(_on_disk(_store(mix), STORE_THREADS) for mix in ("fillrandom", "overwrite", "readwhilewriting", "a", "b", "f")))
ICFP21_FIGURE_6 = _icfp21("tree", "Red-black tree") + _icfp21("hash", "Hash table")
ICFP21_FIGURE_8 = _icfp21("treap", "Treap") + _icfp21("hamt", "Hash array mapped trie")


def _brief(panel: Panel, threads: tuple[int, ...] = (1, 2), libraries: tuple[str, ...] = QUICK_LIBRARIES) -> Panel:
    """For the quick campaign."""
    return replace(panel, threads=threads, trials=2, libraries=libraries)


def _at_rate(panel: Panel, rate: int) -> Panel:
    """At a fixed load; the panel of the paper measures at full speed."""
    return replace(panel, name=f"{panel.name}-{rate // 1000}k", title=f"{panel.title}, {rate:,} transactions a second",
                   arguments=(*panel.arguments, "--rate", str(rate)), letter="")


def _threads(count: int, *panels: Panel) -> tuple[Panel, ...]:
    return tuple(replace(panel, threads=tuple(range(1, count + 1))) for panel in panels)


SMALL_VACATION = tuple(replace(panel, preset=f"{panel.preset}_small") for panel in (VACATION_LOW, VACATION_HIGH))


def _figure(number: int, description: str, panels: tuple[Panel, ...], libraries: tuple[str, ...]) -> Campaign:
    """Of the PACT'19 paper, as its own plots have it; and `floor`, which shares are taken of."""
    libraries = ("floor", *libraries)
    return Campaign(f"PACT'19, Figure {number}: {description}", f"fig{number}", panels, libraries, trials=5, seconds=2,
                    warmup=0.5)


def _icfp21_campaign(result: str, description: str, panels: tuple[Panel, ...], libraries: tuple[str, ...]) -> Campaign:
    return Campaign(f"ICFP'21, {description}", result, panels, libraries, trials=5, seconds=1, warmup=0.2)


def _campaign_of(panel: Panel) -> Campaign:
    return Campaign(panel.title, f"panel-{panel.letter}", (panel,), all_libraries(), trials=5, seconds=2, warmup=0.5)


CAMPAIGNS = {
    "first": Campaign(
        description="the first table of ./run.sh quick: one workload, once; seconds",
        result="first",
        panels=(_brief(TATP, threads=(1,)),),
        libraries=QUICK_LIBRARIES,
        trials=1,
        seconds=0.5,
        warmup=0.2,
    ),
    "quick": Campaign(
        description="the PACT'19 workloads and a queue, the main libraries, 1 and 2 threads; TATP on the disk where it "
                    "runs, beside the least that a disk allows, 1 and 16 threads",
        result="quick",
        panels=(*(_brief(panel) for panel in (TPCC_HASH, TPCC_STANDARD, TPCC_TREE, TATP, TREE_INSERT, TREE_MIX,
                                              *SMALL_VACATION)),
                _brief(QUEUE, threads=(1,)),
                _on_disk(_brief(TATP, libraries=(FLOOR_ON_DISK, "orec_lazy_fast")), (1, 16))),
        libraries=(*QUICK_LIBRARIES, FLOOR_ON_DISK),
        trials=2,
        seconds=0.5,
        warmup=0.2,
    ),
    "workloads": Campaign(
        description="every workload on every library, at full size; about a day",
        result="workloads",
        panels=(*PACT19, TPCC_STANDARD, TATP_STANDARD, *SWAPS, QUEUE, *SETS),
        libraries=all_libraries(),
        trials=5,
        seconds=2,
        warmup=0.5,
    ),
    "peers": Campaign(
        description="libpmemobj under one lock and under fine-grained ones, a mutex, GCC's transactions, RocksDB and "
                    "LevelDB beside the main libraries, 1 and 2 threads (ratios: scripts/ratios.py)",
        result="peers",
        panels=_threads(2, TPCC_HASH, TPCC_TREE, TPCC_STANDARD, TATP, TATP_STANDARD, TATP_ON_DISK, TREE_INSERT,
                        TREE_MIX, *SMALL_VACATION, *SWAPS, QUEUE, *(_sets(structure, 100) for structure in STRUCTURES)),
        libraries=PEER_LIBRARIES,
        trials=5,
        seconds=0.5,
        warmup=0.2,
    ),
    "disk": Campaign(
        description="pools on the disk where it runs, beside the least that a disk allows, RocksDB, LevelDB, LMDB and "
                    "SQLite, which all synchronise each commit; 1, 2, 16 and 64 threads (ratios: scripts/ratios.py)",
        result="disk",
        panels=(*(_on_disk(panel, DISK_THREADS)
                  for panel in (TATP, TATP_STANDARD, YCSB_A, YCSB_F, TPCC_TREE, QUEUE, COUNTER)),
                *_acknowledgements(TATP), *_acknowledgements(YCSB_F)),
        libraries=(FLOOR_ON_DISK, *STORES, *of_mode("fast")),
        trials=5,
        seconds=1,
        warmup=0.2,
    ),
    "stores": Campaign(
        description="db_bench's workloads and YCSB's over LevelDB's interface (stores/leveldb), beside LevelDB and "
                    "RocksDB, on tmpfs and on the disk where it runs (ratios: scripts/ratios.py)",
        result="stores",
        panels=STORE_PANELS,
        libraries=STORE_FRONTS,
        trials=5,
        seconds=1,
        warmup=0.2,
    ),
    "modes": Campaign(
        description="naive, gp, ip and gpw of every algorithm, one thread (ratios: scripts/ratios.py)",
        result="modes",
        panels=_threads(1, TPCC_HASH, TATP, TREE_INSERT, TREE_MIX, *SMALL_VACATION),
        libraries=tuple(f"{algorithm}_{mode}" for algorithm in algorithms() for mode in ("naive", "gp", "ip", "gpw")),
        trials=5,
        seconds=0.5,
        warmup=0.2,
    ),
    "scaling": Campaign(
        description="orec_lazy with one and two threads (ratios: scripts/ratios.py)",
        result="scaling",
        panels=_threads(2, TPCC_STANDARD, TATP, TREE_INSERT, TREE_MIX),
        libraries=("lock_stm", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_gpw", "orec_lazy_fast"),
        trials=7,
        seconds=1,
        warmup=0.2,
    ),
    "fast": Campaign(
        description="the mode fast of every algorithm that has it, one and two threads (ratios: scripts/ratios.py)",
        result="fast",
        panels=_threads(2, *SWAPS, QUEUE, *(_sets(structure, 100) for structure in ("list", "tree", "hash")),
                        _shuffled(_sets("list", 100)), TATP, TPCC_HASH, TPCC_TREE, TREE_INSERT, TREE_MIX,
                        *SMALL_VACATION),
        libraries=("floor", "lock_stm", *of_mode("fast")),
        trials=5,
        seconds=0.5,
        warmup=0.2,
    ),
    "latency": Campaign(
        description="the latency of TATP at two fixed loads, in every mode of orec_lazy",
        result="latency",
        panels=_threads(1, *(_at_rate(TATP, rate) for rate in (100_000, 300_000))),
        libraries=("floor", "pmemobj", *(f"orec_lazy_{mode}" for mode in ("stm", "naive", "gp", "ip", "gpw", "fast")),
                   "lock_lazy_fast"),
        trials=5,
        seconds=2,
        warmup=0.2,
    ),
    "fig1": _figure(1, "TPC-C from a lock to persistent transactions", (TPCC_HASH, TPCC_TREE),
                    ("lock_stm", "orec_lazy_stm", "lock_eager_naive", "lock_lazy_naive", "orec_lazy_naive",
                     "orec_lazy_fast")),
    "fig2": _figure(2, "volatile transactions, and naively persistent ones", PACT19,
                    of_mode("stm", "naive")),
    "fig3": _figure(3, "the general model and the ideal one; beyond the paper, gpw and fast", PACT19,
                    of_mode("gp", "ip", "gpw", "fast")),
    "icfp21": _icfp21_campaign(
        "icfp21", "Figures 6 and 8: red-black tree, hash table, treap and hash array mapped trie beside libpmemobj and "
        "a mutex, from updates to look-ups only; an hour (ratios: scripts/ratios.py)",
        ICFP21_FIGURE_6 + ICFP21_FIGURE_8,
        ("floor", "pmemobj", FINE_GRAINED, "mutex", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")),
    "icfp21-fig6": _icfp21_campaign(
        "icfp21-fig6", "Figure 6: persistent sets beside another library's", ICFP21_FIGURE_6,
        ("floor", "pmemobj", FINE_GRAINED, "orec_lazy_ip", "orec_lazy_fast")),
    "icfp21-fig8": _icfp21_campaign(
        "icfp21-fig8", "Figure 8: persistent sets beside volatile ones", ICFP21_FIGURE_8,
        ("mutex", "orec_lazy_stm", "orec_lazy_ip", "orec_lazy_fast")),
    **{panel.letter: _campaign_of(panel) for panel in (TPCC_STANDARD, *PACT19)},
}


def title_of(name: str) -> str:
    """A panel's, with its letter. What no campaign measures any longer goes by its name."""
    for campaign in CAMPAIGNS.values():
        for panel in campaign.panels:
            if panel.name == name:
                return f"({panel.letter}) {panel.title}" if panel.letter else panel.title
    return name
