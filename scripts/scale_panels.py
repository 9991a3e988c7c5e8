"""What `./run.sh scale` and `./run.sh scale_eurosys20` record, measure and simulate."""

from __future__ import annotations

from dataclasses import dataclass, replace

from library_table import LIBRARIES as TABLE, algorithms, of_mode
from panel import Panel
from panels_eurosys20 import FAMILY, QUEUE, STRUCTURES, SWAPS, UPDATES, sets

THREADS = (1, 2, 4, 8, 16, 24, 32, 48, 64)
CHECKED_THREADS = (2,)  # where simulation and measurement are held against each other, besides one thread
@dataclass(frozen=True)
class ScalePanel:
    name: str
    title: str
    benchmark: str
    preset: str
    arguments: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()  # further arguments where it is recorded on many threads
    main_only: bool = False  # populating takes long: for the main libraries only
    is_modelled: bool = True  # others are measured on one thread only, so that there is more to fit the costs to


@dataclass(frozen=True)
class Suite:
    """A campaign: its results are results/<name>.csv, .txt, .png, .pdf and .svg."""

    name: str
    panels: tuple[ScalePanel, ...]
    libraries: tuple[str, ...]
    main_libraries: tuple[str, ...]  # held against what two threads make here
    has_column_for_each_mode: bool = True  # in the figure: otherwise all libraries are in one diagram

    @property
    def modelled(self) -> tuple[ScalePanel, ...]:
        return tuple(panel for panel in self.panels if panel.is_modelled)

    def measures(self, panel: ScalePanel, library: str) -> bool:
        return library == "seq" or library in self.main_libraries or not panel.main_only


MAIN_LIBRARIES = ("lock_stm", "orec_lazy_stm", "orec_lazy_gp", "orec_lazy_ip", "orec_lazy_fast")
LIBRARIES = tuple(dict.fromkeys([
    *MAIN_LIBRARIES,
    *(name for name in of_mode("stm") if TABLE[name].conflicts),
    *(f"{algorithm}_{mode}" for mode in ("naive", "gp", "ip", "gpw") for algorithm in algorithms()),
    *of_mode("fast"),
]))


# A warehouse has fewer rows there: 64 of full size would fill the memory. Its transactions meet no more often.
_SMALL_WAREHOUSES = ("--items", "10000", "--customers", "300", "--initial-orders", "100")
# Populated for each measurement anew.
_FEW_SUBSCRIBERS = ("--subscribers", "20000")
PACT19 = Suite("scale", (
    ScalePanel("tpcc-pact19", "TPC-C New Order, PACT'19 preset (1 warehouse)", "tpcc", "pact19"),
    ScalePanel("tpcc-standard", "TPC-C New Order, 1 warehouse per thread", "tpcc", "standard", (), _SMALL_WAREHOUSES,
               main_only=True),
    ScalePanel("tatp", "TATP Update Location", "tatp", "pact19"),
    ScalePanel("bptree-insert", "B+ tree, insertions", "bptree", "insert"),
    ScalePanel("bptree-mix", "B+ tree, equal mix", "bptree", "mix"),
    ScalePanel("tpcc-tree", "TPC-C New Order over B+ trees, PACT'19 preset", "tpcc", "pact19", ("--index", "tree")),
    ScalePanel("vacation-low", "Vacation, low contention (16,384 relations)", "vacation", "low_small"),
    ScalePanel("vacation-high", "Vacation, high contention (16,384 relations)", "vacation", "high_small"),
    ScalePanel("tatp-10", "TATP, 10 in a transaction", "tatp", "pact19", ("--ops-per-tx", "10", *_FEW_SUBSCRIBERS),
               is_modelled=False),
    ScalePanel("tatp-standard", "TATP, standard mix", "tatp", "standard", _FEW_SUBSCRIBERS, is_modelled=False),
    ScalePanel("bptree-lookup", "B+ tree, look-ups", "bptree", "mix",
               ("--lookup", "100", "--insert", "0", "--range", "0", "--remove", "0"), is_modelled=False),
), LIBRARIES, MAIN_LIBRARIES)

# A tenth of the paper's: sets are populated for each measurement anew, and all that a list's transactions read is
# recorded.
_KEYS = {"list": 1_000, "tree": 100_000, "hash": 100_000}


def _from(panel: Panel, arguments: tuple[str, ...] = ()) -> ScalePanel:
    return ScalePanel(panel.name, panel.title, panel.benchmark, panel.preset, (*panel.arguments, *arguments))


def _sets(structure: str, updates: int) -> ScalePanel:
    panel = sets(structure, updates)
    title = f"{STRUCTURES[structure].split(' of ')[0]} of {_KEYS[structure]:,} keys, {updates} % updates"
    return _from(replace(panel, title=title), ("--keys", str(_KEYS[structure])))


EUROSYS20 = Suite("scale_eurosys20", (*map(_from, (*SWAPS, QUEUE)),
                                      *(_sets(structure, updates) for structure in _KEYS for updates in UPDATES)),
                  FAMILY, FAMILY, has_column_for_each_mode=False)
