"""Tables of what the crash simulator has tried (docs/crash-testing.md), from what the exploration tests have printed:

    bin/exploration_test_<library>_sim --gtest_filter=*EveryCrash* --sites >logs/<library>.txt
    crash_states.py explored logs/*.txt    how many states there are of what was explored as a whole, by library
    crash_states.py sampled logs/*.txt     how many draws and how many states they were, by library and workload
    crash_states.py redundant logs/*.txt   flushes and fences without effect, by place and mode (needs --sites)

Exit status 1 if a test has failed, or none was found.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from library_table import algorithms

MODES = ("naive", "gp", "ip", "gpw", "fast")
ALGORITHMS = algorithms()
RESULT = re.compile(r"^(?P<algorithm>\w+)_(?P<mode>[a-z]+)_sim (?P<workload>\w+): \d+ events, (?P<states>\d+) states, "
                    r"(?P<nested>\d+) of them in recovery(; (?P<drawn>\d+) drawn)?$", re.MULTILINE)
SITE = re.compile(r"^  (?P<kind>flush|fence): (?P<times>\d+) times, (?P<clean>\d+) of them clean, "
                  r"(?P<repeated>\d+) repeated: (?P<frames>.*)$", re.MULTILINE)
TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
UNTOLD = {"operator()"}  # frames that say nothing about the place
TOLD_FRAMES = 3
NAMED_WORKLOADS = 5  # of more, the number is told
FAILURE = re.compile(r"^\[  FAILED  \] .*\)$", re.MULTILINE)


@dataclass(frozen=True)
class Explored:
    algorithm: str
    mode: str
    workload: str
    states: int
    nested: int  # those of them that a crash of recovery left
    drawn: int  # 0: all that there are


@dataclass(frozen=True)
class Site:
    """A place that flushes or fences, in one library and workload."""

    mode: str
    workload: str
    place: str
    times: int
    clean: int
    repeated: int


def read(text: str) -> list[Explored]:
    return [Explored(found["algorithm"], found["mode"], found["workload"], int(found["states"]), int(found["nested"]),
                     int(found["drawn"] or 0)) for found in RESULT.finditer(text)]


def place_of(kind: str, frames: str) -> str:
    """The functions, the inmost first, without their template arguments."""
    functions: list[str] = []
    for frame in frames.split(" < "):
        function, _, _ = frame.rpartition(" ")
        while TEMPLATE_ARGUMENTS.search(function):
            function = TEMPLATE_ARGUMENTS.sub("", function)
        if function not in UNTOLD and function not in functions:
            functions.append(function)
    return f"{kind}: " + " < ".join(functions[:TOLD_FRAMES])


def read_sites(text: str) -> list[Site]:
    sites = []
    headings = list(RESULT.finditer(text))
    for heading, end in zip(headings, [*(following.start() for following in headings[1:]), len(text)]):
        for found in SITE.finditer(text, heading.end(), end):
            sites.append(Site(heading["mode"], heading["workload"], place_of(found["kind"], found["frames"]),
                              int(found["times"]), int(found["clean"]), int(found["repeated"])))
    return sites


def spell(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def explored_table(results: list[Explored]) -> list[str]:
    """One line an algorithm, one column a mode; in recovery: in brackets."""
    lines = [line(["", *(f"`{mode}`" for mode in MODES)]), line(["---"] * (1 + len(MODES)))]
    for algorithm in ALGORITHMS:
        cells = [f"`{algorithm}`"]
        for mode in MODES:
            own = [result for result in results if (result.algorithm, result.mode) == (algorithm, mode)]
            nested = sum(result.nested for result in own)
            cells.append(spell(sum(result.states for result in own)) + (f" ({spell(nested)})" if nested else "")
                         if own else "–")
        lines.append(line(cells))
    return lines


def sampled_table(results: list[Explored]) -> list[str]:
    """One line a library, one column a workload: states of draws."""
    workloads = list(dict.fromkeys(result.workload for result in results))
    lines = [line(["", *(f"`{workload}`" for workload in workloads), "drawn"]),
             line(["---"] + ["---:"] * (1 + len(workloads)))]
    for mode in MODES:
        for algorithm in ALGORITHMS:
            library = (algorithm, mode)
            own = {result.workload: result for result in results if (result.algorithm, result.mode) == library}
            if not own:
                continue
            cells = [f"{spell(own[workload].states)} of {spell(own[workload].drawn)}" if workload in own else ""
                     for workload in workloads]
            lines.append(line([f"`{algorithm}_{mode}`", *cells, spell(sum(each.drawn for each in own.values()))]))
    return lines


def redundant_table(sites: list[Site]) -> list[str]:
    """One line a place, one column a mode: clean, and repeated, of all."""
    everywhere = len({site.workload for site in sites})
    lines = [line(["place", *(f"`{mode}`" for mode in MODES), "workloads"]), line(["---"] * (2 + len(MODES)))]
    for place in sorted({site.place for site in sites}):
        cells = [f"`{place}`"]
        for mode in MODES:
            own = [site for site in sites if (site.place, site.mode) == (place, mode)]
            counts = [sum(site.clean for site in own), sum(site.repeated for site in own)]
            named = [f"{spell(count)} {name}" for count, name in zip(counts, ("clean", "repeated")) if count]
            cells.append(f"{', '.join(named)} of {spell(sum(site.times for site in own))}" if own else "–")
        workloads = sorted({site.workload for site in sites if site.place == place})
        few = len(workloads) <= NAMED_WORKLOADS
        lines.append(line([*cells, ", ".join(workloads) if few else f"{len(workloads)} of {everywhere}"]))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("explored", "sampled", "redundant"))
    parser.add_argument("logs", nargs="+", type=Path)
    arguments = parser.parse_args()
    texts = [log.read_text() for log in arguments.logs]
    failures = [failure for text in texts for failure in FAILURE.findall(text)]
    results = [result for text in texts for result in read(text)]
    if arguments.table == "redundant":
        print("\n".join(redundant_table([site for text in texts for site in read_sites(text)])))
    else:
        is_sampled = arguments.table == "sampled"
        results = [result for result in results if (result.drawn != 0) == is_sampled]
        print("\n".join((sampled_table if is_sampled else explored_table)(results)))
    states = sum(result.states for result in results)
    print(f"\n{spell(states)} states of {len({(result.algorithm, result.mode) for result in results})} libraries, "
          f"{len({result.workload for result in results})} workloads; {len(failures)} failed")
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
