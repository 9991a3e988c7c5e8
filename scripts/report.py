"""Writes results/report.html: one page, in one file, with the last run of every campaign measured so far."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import factors
import plot
import table
from claims import Points, Verdict, verdicts
from panels import CAMPAIGNS, PEERS
from results import Row, Summary, read, summarise

TEMPLATES = Path(__file__).resolve().parent / "templates"
NOTEWORTHY_SPREAD = 0.15  # half the distance between best and worst trial


@dataclass(frozen=True)
class PanelReport:
    title: str
    parameters: str
    figure: Markup
    findings: list[str]
    table: str


@dataclass(frozen=True)
class CampaignReport:
    name: str
    description: str
    started: str
    trials: int
    facts: list[str]
    panels: list[PanelReport]
    verdicts: list[Verdict]
    factors: list[Verdict]


def times(summary: Summary, other: Summary) -> str:
    return f"{summary.ratio_to(other, 'throughput'):.2f}"


def durable(points: Points, panel: str, threads: int) -> dict[str, Summary]:
    """The libraries of a point that lose nothing in a crash (`floor` may), the fastest first."""
    found = {library: summary for (where, count, library), summary in points.items()
             if (where, count) == (panel, threads) and summary.rows[0]["durable"] == "true" and library != "floor"}
    return dict(sorted(found.items(), key=lambda item: -item[1].median("throughput")))


def leader(points: Points, panel: str, threads: int) -> str:
    """Who leads, and by how much."""
    everybody = durable(points, panel, threads)
    ranking = [(library, summary) for library, summary in everybody.items() if library not in PEERS]
    if not ranking:
        return ""
    (best, summary), *others = ranking
    compared = [(library, points[panel, threads, library]) for library in ("floor", "lock_stm", *PEERS)
                if (panel, threads, library) in points]
    shares = [f"{times(summary, other)} × {library}" for library, other in [*others[:1], *compared]]
    with_threads = "one thread" if threads == 1 else f"{threads} threads"
    throughput = f"{summary.median('throughput'):,.0f} transactions a second"
    text = f"With {with_threads} {best} leads the durable libraries: {throughput}"
    return f"{text} ({', '.join(shares)})." if shares else f"{text}."


def scaling(points: Points, panel: str) -> str:
    """What a second thread brings."""
    ratios = {library: times(summary, points[panel, 1, library])
              for library, summary in durable(points, panel, 2).items() if (panel, 1, library) in points}
    if not ratios:
        return ""
    return "Two threads over one: " + ", ".join(f"{library} {ratio}" for library, ratio in ratios.items()) + "."


def noise(points: Points, panel: str) -> str:
    spreads = {key: summary.spread("throughput") for key, summary in points.items() if key[0] == panel}
    (_, threads, library), worst = max(spreads.items(), key=lambda item: item[1])
    if worst < NOTEWORTHY_SPREAD:
        return ""
    return (f"A noisy machine: the trials of {library} with {threads} thread{'s' if threads > 1 else ''} lie up to "
            f"{worst:.0%} from their middle.")


def findings(points: Points, panel: str) -> list[str]:
    threads = sorted({count for where, count, _ in points if where == panel})
    lines = [*(leader(points, panel, count) for count in threads), scaling(points, panel), noise(points, panel)]
    return [line for line in lines if line]


def figure_of(runs: plot.pandas.DataFrame, panel: str) -> Markup:
    """SVG text: sharp at any size, and part of the page."""
    with plt.rc_context({**plot.STYLE, "svg.fonttype": "none"}):
        figure = plot.draw(runs[runs["panel"] == panel])
        text = io.StringIO()
        figure.savefig(text, format="svg")
        plt.close(figure)
    return Markup(text.getvalue()[text.getvalue().index("<svg"):])


def panel_reports(rows: list[Row], runs: plot.pandas.DataFrame, points: Points) -> Iterator[PanelReport]:
    for panel in dict.fromkeys(row["panel"] for row in rows):
        parameters = "; ".join(dict.fromkeys(row["parameters"] for row in rows if row["panel"] == panel))
        text = "\n".join(table.Table(panel, points).lines())
        yield PanelReport(plot.title_of(panel), parameters, figure_of(runs, panel), findings(points, panel), text)


def campaign_report(path: Path) -> CampaignReport:
    rows = read(path)
    points = summarise(rows)
    descriptions = [campaign.description for campaign in CAMPAIGNS.values() if campaign.result == path.stem]
    return CampaignReport(
        name=path.stem,
        description=descriptions[0],
        started=rows[0]["campaign"],
        trials=len({row["trial"] for row in rows}),
        facts=table.facts_of(rows),
        panels=list(panel_reports(rows, plot.read(path, ""), points)),
        verdicts=verdicts(points),
        factors=factors.verdicts(points),
    )


@dataclass(frozen=True)
class ScaleReport:
    """What `./run.sh scale` has written."""
    figure: Markup
    table: str


def scale_report(results: Path) -> ScaleReport | None:
    figure, text = results / "scale.svg", results / "scale.txt"
    if not (figure.exists() and text.exists()):
        return None
    picture = figure.read_text()
    return ScaleReport(Markup(picture[picture.index("<svg"):]), text.read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="where the campaigns' results are")
    results: Path = parser.parse_args().results
    known = dict.fromkeys(campaign.result for campaign in CAMPAIGNS.values())
    paths = [path for name in known if (path := results / f"{name}.csv").exists()]
    scale = scale_report(results)
    if not paths and scale is None:
        raise SystemExit(f"{results} holds no results of a campaign; run ./run.sh first")
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True)
    page = environment.get_template("report.html").render(
        campaigns=[campaign_report(path) for path in paths], legend=table.LEGEND, scale=scale)
    (results / "report.html").write_text(page)
    print(f"written: {results / 'report.html'}")


if __name__ == "__main__":
    main()
