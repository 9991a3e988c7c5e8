"""What `./run.sh scale` records, measures and simulates."""

from __future__ import annotations

from dataclasses import dataclass

from library_table import LIBRARIES as TABLE, algorithms, of_mode

THREADS = (1, 2, 4, 8, 16, 24, 32, 48, 64)
CHECKED_THREADS = (2,)  # where simulation and measurement are held against each other, besides one thread
MAIN_LIBRARIES = ("lock_stm", "orec_lazy_stm", "orec_lazy_gp", "orec_lazy_ip", "orec_lazy_fast")
LIBRARIES = tuple(dict.fromkeys([
    *MAIN_LIBRARIES,
    *(name for name in of_mode("stm") if TABLE[name].conflicts),
    *(f"{algorithm}_{mode}" for mode in ("naive", "gp", "ip", "gpw") for algorithm in algorithms()),
    *of_mode("fast"),
]))


@dataclass(frozen=True)
class ScalePanel:
    name: str
    title: str
    benchmark: str
    preset: str
    arguments: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()  # further arguments where it is recorded on many threads
    main_only: bool = False  # populating takes long: for the main libraries only


# A warehouse has fewer rows there: 64 of full size would fill the memory. Its transactions meet no more often.
_SMALL_WAREHOUSES = ("--items", "10000", "--customers", "300", "--initial-orders", "100")
_MODELLED = (
    ScalePanel("tpcc-pact19", "TPC-C New Order, PACT'19 preset (1 warehouse)", "tpcc", "pact19"),
    ScalePanel("tpcc-standard", "TPC-C New Order, 1 warehouse per thread", "tpcc", "standard", (), _SMALL_WAREHOUSES,
               main_only=True),
    ScalePanel("tatp", "TATP Update Location", "tatp", "pact19"),
    ScalePanel("bptree-insert", "B+ tree, insertions", "bptree", "insert"),
    ScalePanel("bptree-mix", "B+ tree, equal mix", "bptree", "mix"),
    ScalePanel("tpcc-tree", "TPC-C New Order over B+ trees, PACT'19 preset", "tpcc", "pact19", ("--index", "tree")),
    ScalePanel("vacation-low", "Vacation, low contention (16,384 relations)", "vacation", "low_small"),
    ScalePanel("vacation-high", "Vacation, high contention (16,384 relations)", "vacation", "high_small"),
)
MODELLED = tuple(panel.name for panel in _MODELLED)

# The others are measured on one thread only, so that there is more to fit the costs to. They are populated for each
# measurement anew, so with fewer rows.
_FEW_SUBSCRIBERS = ("--subscribers", "20000")
PANELS = (
    *_MODELLED,
    ScalePanel("tatp-10", "TATP, 10 in a transaction", "tatp", "pact19", ("--ops-per-tx", "10", *_FEW_SUBSCRIBERS)),
    ScalePanel("tatp-standard", "TATP, standard mix", "tatp", "standard", _FEW_SUBSCRIBERS),
    ScalePanel("bptree-lookup", "B+ tree, look-ups", "bptree", "mix",
               ("--lookup", "100", "--insert", "0", "--range", "0", "--remove", "0")),
)


def measures(panel: ScalePanel, library: str) -> bool:
    return library == "seq" or library in MAIN_LIBRARIES or not panel.main_only
