"""What is measured: a table of campaigns. Those of the PACT'19 paper and what goes beyond are here; each other paper
has a file of its own."""

from __future__ import annotations

from dataclasses import replace

from contenders import FLOOR_ON_DISK, PEER_LIBRARIES, QUICK_LIBRARIES, STORE_FRONTS, STORES, all_libraries
from library_table import algorithms, of_mode
from panel import Campaign, Panel, on_disk
from panels_eurosys20 import EUROSYS20, QUEUE, SETS, STRUCTURES, SWAPS, sets
from panels_icfp21 import ICFP21
from panels_stores import STORE_PANELS

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
DISK_THREADS = (1, 2, 16, 64)


def _opened(panel: Panel, name: str, title: str, *arguments: str) -> Panel:
    """Of the libraries that have a log on disks: the pool opened otherwise."""
    return replace(panel, name=f"{panel.name}-{name}", title=f"{panel.title}, {title}",
                   arguments=(*panel.arguments, *arguments), letter="", libraries=of_mode("fast"))


def _acknowledgements(panel: Panel) -> tuple[Panel, ...]:
    """What waiting for the disk costs: without, with a log that nobody waits for, and on tmpfs. And what checkpoints
    cost: with a log so small that they go on all the time, and with one so large that there are none."""
    waiting = on_disk(panel, DISK_THREADS)
    return (_opened(waiting, "relaxed", "10 ms late", "--acknowledgement", "relaxed"),
            _opened(waiting, "process", "surviving kills only", "--durability", "process"),
            _opened(replace(panel, threads=DISK_THREADS), "on-tmpfs", "on tmpfs"),
            _opened(waiting, "checkpoints", "always in a checkpoint", "--log-mebibytes", "1"),
            _opened(waiting, "no-checkpoints", "without checkpoints", "--log-mebibytes", "256"))


YCSB_A = Panel("ycsb-a", "YCSB A: half of the transactions set a field of a record", "ycsb", "a")
YCSB_F = Panel("ycsb-f", "YCSB F: half of the transactions read a record and increment a field", "ycsb", "f")
COUNTER = Panel("counter", "One hot counter", "counter", "one")


def _shuffled(panel: Panel) -> Panel:
    """A set whose blocks are reused at once keeps the order of its keys in memory; others lose it in time."""
    return replace(panel, name=f"{panel.name}-shuffled", title=f"{panel.title}, neighbours far apart",
                   arguments=(*panel.arguments, "--shuffled"))


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
                on_disk(_brief(TATP, libraries=(FLOOR_ON_DISK, "orec_lazy_fast")), (1, 16))),
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
                        TREE_MIX, *SMALL_VACATION, *SWAPS, QUEUE, *(sets(structure, 100) for structure in STRUCTURES)),
        libraries=PEER_LIBRARIES,
        trials=5,
        seconds=0.5,
        warmup=0.2,
    ),
    "disk": Campaign(
        description="pools on the disk where it runs, beside the least that a disk allows, RocksDB, LevelDB, LMDB and "
                    "SQLite, which all synchronise each commit; 1, 2, 16 and 64 threads (ratios: scripts/ratios.py)",
        result="disk",
        panels=(*(on_disk(panel, DISK_THREADS)
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
        libraries=tuple(f"{algorithm}_{mode}" for algorithm in algorithms("naive")
                        for mode in ("naive", "gp", "ip", "gpw")),
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
        panels=_threads(2, *SWAPS, QUEUE, *(sets(structure, 100) for structure in ("list", "tree", "hash")),
                        _shuffled(sets("list", 100)), TATP, TPCC_HASH, TPCC_TREE, TREE_INSERT, TREE_MIX,
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
    **ICFP21,
    **EUROSYS20,
    **{panel.letter: _campaign_of(panel) for panel in (TPCC_STANDARD, *PACT19)},
}


def title_of(name: str) -> str:
    """A panel's, with its letter. What no campaign measures any longer goes by its name."""
    for campaign in CAMPAIGNS.values():
        for panel in campaign.panels:
            if panel.name == name:
                return f"({panel.letter}) {panel.title}" if panel.letter else panel.title
    return name
