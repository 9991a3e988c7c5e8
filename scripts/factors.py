"""By how much the libraries are to be faster than their peers, held against measurements."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import geometric_mean

from claims import Verdict
from contenders import FINE_GRAINED
from results import Points


@dataclass(frozen=True)
class Factor:
    """What `library` is to have of the throughput of the best of `peers`, at least."""

    library: str
    peers: tuple[str, ...]
    least: float

    def __str__(self) -> str:
        return f"{self.library} has at least {self.least:g} times the throughput of {' and of '.join(self.peers)}"


# Whoever uses libpmemobj has the better of its two styles.
BOTH_STYLES = ("pmemobj", FINE_GRAINED)
FACTORS = (
    *(Factor(library, peers, least) for library, least in (("orec_lazy_fast", 4), ("orec_lazy_ip", 3))
      for peers in (("pmemobj",), (FINE_GRAINED,), BOTH_STYLES)),
    Factor("orec_lazy_fast", ("rocksdb",), 8),
    Factor("orec_lazy_fast", ("leveldb",), 3),
    Factor("orec_lazy_stm", ("libitm",), 1.5),
)


def _found(factor: Factor, points: Points) -> dict[str, float]:
    """The ratio at every point where the library and all its peers were measured, by the point's name."""
    ratios = {}
    for (panel, threads, library), summary in points.items():
        bases = [points[panel, threads, peer] for peer in factor.peers if (panel, threads, peer) in points]
        if library == factor.library and len(bases) == len(factor.peers):
            ratios[f"{panel} ({threads})"] = min(summary.ratio_to(base, "throughput") for base in bases)
    return ratios


def _tell(factor: Factor, ratios: dict[str, float]) -> str:
    if not ratios:
        return ""
    lowest, highest = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    mean = geometric_mean(ratios.values())
    reached = [point for point, ratio in ratios.items() if ratio >= factor.least]
    return (f"{mean:.2f} (geometric mean of {len(ratios)} points; from {ratios[lowest]:.2f}, {lowest}, to "
            f"{ratios[highest]:.2f}, {highest}). Reached at {len(reached)}: {', '.join(reached) or 'none'}.")


def verdicts(points: Points) -> list[Verdict]:
    """Of the factors whose libraries and peers were measured. Points are panels, with the threads in brackets."""
    findings = [(str(factor), _tell(factor, _found(factor, points))) for factor in FACTORS]
    return [Verdict(claim, finding, True) for claim, finding in findings if finding]
