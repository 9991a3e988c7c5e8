"""What `./run.sh all --short` leaves out, so that every figure and table is made within LIMIT on two cores.

The rule, for each campaign as scripts/panels.py has it:

1. A panel keeps one thread, and MANY_THREADS where it has so many, which makes a disk busy; otherwise two.
2. A campaign of more than MANY libraries keeps them on the panels of the PACT'19 paper, whose figures show them all.
   Its other panels have QUICK_LIBRARIES and one thread only.
3. Vacation has 16,384 relations, not a million: populating them takes longer than all else. Stores have a hundredth of
   the entries of the EuroSys'20 paper, for the same reason.
4. Each stage has the trials and seconds of one of LEVELS: of the first with which all that is left fits into what is
   left of LIMIT.

What scripts do that have no campaign, scripts/stages.py says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from contenders import QUICK_LIBRARIES
from panel import Campaign, Panel
from panels import PACT19

LIMIT = 3 * 3600.0  # seconds
MANY_THREADS = 16
MANY = 40
SMALL_PRESETS = {("vacation", "low"): "low_small", ("vacation", "high"): "high_small"}
COUNTS = ("--entries", "--transactions")
SHARE_OF_ENTRIES = 100
MOST_WARMUP = 0.05  # seconds


@dataclass(frozen=True)
class Level:
    trials: int
    seconds: float  # of a measurement


LEVELS = (Level(5, 0.5), Level(3, 0.5), Level(3, 0.2), Level(2, 0.2), Level(1, 0.5), Level(1, 0.2),
          Level(1, 0.1))
PRUDENCE = 1.15  # estimates may be too low by so much


def shortened(campaign: Campaign) -> Campaign:
    has_many = len(campaign.libraries) > MANY
    panels = (_shortened(panel, has_many) for panel in campaign.panels)
    return replace(campaign, panels=tuple(panel for panel in panels if panel.threads),
                   warmup=min(campaign.warmup, MOST_WARMUP))


def _shortened(panel: Panel, has_many: bool) -> Panel:
    is_reduced = has_many and all(panel.name != each.name for each in PACT19)
    return replace(
        panel,
        threads=_shortened_threads(panel.threads, is_reduced),
        preset=SMALL_PRESETS.get((panel.benchmark, panel.preset), panel.preset),
        arguments=_shortened_arguments(panel.arguments),
        libraries=QUICK_LIBRARIES if is_reduced and not panel.libraries else panel.libraries,
    )


def _shortened_arguments(arguments: tuple[str, ...]) -> tuple[str, ...]:
    before = ("", *arguments)
    return tuple(str(int(word) // SHARE_OF_ENTRIES) if option in COUNTS else word
                 for option, word in zip(before, arguments))


def _shortened_threads(threads: tuple[int, ...], is_reduced: bool) -> tuple[int, ...]:
    if is_reduced:
        return tuple(count for count in threads if count == 1)
    kept = (1, MANY_THREADS) if MANY_THREADS in threads else (1, 2)
    return tuple(count for count in threads if count in kept)


def level_that_fits(seconds_with: Callable[[Level], float], left: float) -> Level:
    """:param seconds_with: how long what is to be done takes with a level.
    :param left: seconds that it may take; the last level is taken even if that takes longer."""
    return next((level for level in LEVELS if PRUDENCE * seconds_with(level) <= left), LEVELS[-1])
