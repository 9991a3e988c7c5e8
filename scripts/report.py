"""Writes results/report.html: one page, in one file, with what the folder holds: the last run of every campaign, and
the figures and tables of everything else that was measured."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import factors
import figure_style
import findings
import plot
import table
from claims import Verdict, verdicts
from panels import CAMPAIGNS, title_of
from results import Points, Row, read, summarise
from summary import summary_of
from tables import TABLES

TEMPLATES = Path(__file__).resolve().parent / "templates"
# What is measured by other means than campaigns: results/<name>.txt, and .svg where there is a figure.
MEASUREMENTS = {
    **{name: measured.title for name, measured in TABLES.items()},
    "atc20": "The small programs of go-pmem (ATC'20, Figures 5 to 8 and 10), one thread",
    "restart": "Restart: time to the first transaction after a close and after a kill",
    "allocation": "Allocation in transactions",
    "fragmentation": "Fragmentation: a pool's size for each byte allocated",
    "memoisation": "Memoisation: results kept in a pool, beside a program that computes them (ICFP'21, Table 1)",
    "wakeups": "Wake-ups: a thread that waits by TM_RETRY, beside one that waits for a condition variable",
    "stopped": "Three threads while a fourth is stopped in an update, over three alone",
    "fairness": "Fairness: a long transaction among short ones, threads that want the same",
    "memcached": "The memcached server beside memcached itself",
    "compile-time": "What the plugin adds to compiling",
    "scale": "SIMULATED, 1 to 64 cores. Dashed: simulated (docs/benchmarks.md says how, and what is left out); solid "
             "markers: measured on this machine",
    "scale_eurosys20": "SIMULATED, 1 to 64 cores: swaps, the queue and sets; as before",
}


@dataclass(frozen=True)
class PanelReport:
    title: str
    parameters: str
    figure: Markup
    findings: list[str]
    table: str


@dataclass(frozen=True)
class FurtherFigure:
    title: str
    figure: Markup


@dataclass(frozen=True)
class CampaignReport:
    name: str
    description: str
    started: str
    trials: int
    facts: list[str]
    panels: list[PanelReport]
    further: list[FurtherFigure]
    ratios: str
    verdicts: list[Verdict]
    factors: list[Verdict]


@dataclass(frozen=True)
class SummaryReport:
    campaign: str
    sentence: str
    figure: Markup


@dataclass(frozen=True)
class MeasurementReport:
    name: str
    title: str
    text: str
    figure: Markup


def panel_reports(rows: list[Row], points: Points, drawing: plot.Drawing, name: str) -> Iterator[PanelReport]:
    for panel in dict.fromkeys(row["panel"] for row in rows):
        parameters = "; ".join(dict.fromkeys(row["parameters"] for row in rows if row["panel"] == panel))
        figure = figure_style.svg_of(plot.draw(drawing, [panel]), f"{name} {panel}")
        text = "\n".join(table.Table(panel, points).lines())
        yield PanelReport(title_of(panel), parameters, Markup(figure), findings.paragraph(points, panel), text)


def further_figures(csv: Path, drawings: list[plot.Drawing]) -> Iterator[FurtherFigure]:
    """As they were drawn after the campaign; drawn now where the file is not there or shows other runs."""
    for drawing in drawings:
        base = plot.base_of(csv, drawing.quantity)
        file = base.with_name(base.name + ".svg")
        if not file.exists() or plot.mark_of(drawing.points) not in file.read_text():
            plot.save(drawing, base)
        yield FurtherFigure(drawing.quantity.title, Markup(file.read_text()))


def campaign_report(csv: Path) -> CampaignReport:
    rows = read(csv)
    points = summarise(rows)
    throughput, *further = plot.drawings(points, csv.stem)
    descriptions = [campaign.description for campaign in CAMPAIGNS.values() if campaign.result == csv.stem]
    return CampaignReport(
        name=csv.stem,
        description=descriptions[0],
        started=rows[0]["campaign"],
        trials=len({row["trial"] for row in rows}),
        facts=table.facts_of(rows),
        panels=list(panel_reports(rows, points, throughput, csv.stem)),
        further=list(further_figures(csv, further)),
        ratios=text_in(csv.with_name(f"{csv.stem}-ratios.txt")),
        verdicts=[verdict for verdict in verdicts(points) if verdict.is_measured],
        factors=factors.verdicts(points),
    )


def summary_report(paths: list[Path]) -> SummaryReport | None:
    """Of the campaign that compares the most workloads."""
    found = [(path, summary) for path in paths if (summary := summary_of(summarise(read(path))))]
    if not found:
        return None
    path, widest = max(found, key=lambda each: len(each[1].panels))
    return SummaryReport(path.stem, widest.sentence(), Markup(figure_style.svg_of(widest.figure(), "summary")))


def text_in(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def measurement_reports(results: Path) -> Iterator[MeasurementReport]:
    for name, title in MEASUREMENTS.items():
        if text := text_in(results / f"{name}.txt"):
            figure = text_in(results / f"{name}.svg")
            yield MeasurementReport(name, title, text, Markup(figure[figure.index("<svg"):] if figure else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="where the campaigns' results are")
    results: Path = parser.parse_args().results
    known = dict.fromkeys(campaign.result for campaign in CAMPAIGNS.values())
    paths = [path for name in known if (path := results / f"{name}.csv").exists()]
    measurements = list(measurement_reports(results))
    if not paths and not measurements:
        raise SystemExit(f"{results} holds no results; run ./run.sh first")
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True)
    page = environment.get_template("report.html").render(
        summary=summary_report(paths),
        machine=table.facts_of([row for path in paths for row in read(path)]) if paths else [],
        campaigns=[campaign_report(path) for path in paths], measurements=measurements, legend=table.LEGEND)
    (results / "report.html").write_text(page)
    print(f"written: {results / 'report.html'}")


if __name__ == "__main__":
    main()
