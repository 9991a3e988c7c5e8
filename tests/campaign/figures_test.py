"""Figures: libraries look different, nothing is cut off, and what is drawn is what was measured."""

from __future__ import annotations

import sys
import tempfile
import unittest
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from matplotlib.text import Text

import figure_style
import look_ups
import plot
import restart
import table
from contenders import FOR_SMALL_POOLS, PEERS, all_libraries
from panels import CAMPAIGNS, PACT19
from quantities import QUANTITIES
from results import Range, summarise
from rows import row

NAMES = tuple(dict.fromkeys([*all_libraries(), *FOR_SMALL_POOLS, *PEERS, "memcached"]))
QUANTITY = {quantity.name: quantity for quantity in QUANTITIES}


def drawing_of(libraries: tuple[str, ...], panels: list[str], threads: tuple[int, ...] = (1, 2, 4)) -> plot.Drawing:
    rows = [row(panel, count, library, 1000 * count + place) for panel in panels for count in threads
            for place, library in enumerate(libraries)]
    return plot.Drawing.of(QUANTITY[""], summarise(rows))


class Looks(unittest.TestCase):
    def test_no_two_libraries_look_alike_in_black_and_white(self) -> None:
        looks = {name: figure_style.look_of(name) for name in NAMES}
        curves = Counter((look.marker, look.filling, str(look.line)) for look in looks.values())
        bars = Counter((look.marker, look.hatch) for look in looks.values())
        self.assertEqual((set(curves.values()), set(bars.values())), ({1}, {1}))

    def test_no_two_algorithms_of_a_mode_have_one_colour(self) -> None:
        for mode in ("stm", "naive", "gp", "ip", "gpw", "fast"):
            own = [name for name in NAMES if name.endswith(f"_{mode}")] + [name for name in NAMES if "_" not in name]
            self.assertEqual(len({figure_style.look_of(name).colour for name in own}), len(own), mode)

    def test_every_library_of_the_build_has_a_look_of_its_own(self) -> None:
        self.assertEqual([name for name in NAMES if figure_style.look_of(name).marker == figure_style.UNKNOWN[1]], [])
        self.assertEqual(figure_style.look_of("new_ip").marker, figure_style.UNKNOWN[1])


class LookUps(unittest.TestCase):
    def test_a_curve_has_a_point_for_each_share_with_as_many_threads_as_have_a_core(self) -> None:
        panels = [panel for panel in CAMPAIGNS["icfp21"].panels if panel.name.startswith("icfp21-treap")]
        rows = [row(panel.name, threads, "mutex", 1000 * threads + look_ups.look_ups_of(panel)) for panel in panels
                for threads in panel.threads]
        found = look_ups.curves(summarise(rows), panels)
        self.assertEqual({share: each.median for share, each in found["mutex"].items()},
                         {share: 2000 + share for share in (0, 20, 50, 80, 90, 100)})

    def test_a_campaign_has_axes_for_each_structure(self) -> None:
        panels = CAMPAIGNS["icfp21"].panels
        points = summarise([row(panel.name, 2, "mutex", 1000) for panel in panels])
        figure = look_ups.draw(points, look_ups.structures_of(panels))
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes],
                         ["Red-black tree", "Hash table", "Treap", "Hash array mapped trie"])


class Quantities(unittest.TestCase):
    def series(self, name: str, *rows: dict[str, str]) -> dict:
        return QUANTITY[name].series(summarise(list(rows)), "tatp")

    def test_share_is_of_the_same_trial_and_as_many_threads(self) -> None:
        found = self.series("share", row("tatp", 1, "floor", 100, 0), row("tatp", 1, "floor", 200, 1),
                            row("tatp", 1, "orec_lazy_ip", 150, 0), row("tatp", 1, "orec_lazy_ip", 100, 1),
                            row("tatp", 2, "orec_lazy_ip", 100, 0))
        self.assertEqual(found, {"orec_lazy_ip": {1: Range(1.0, 0.5, 1.5)}})

    def test_persistence_is_for_each_transaction_of_one_thread(self) -> None:
        found = self.series("persistence", *(row("tatp", threads, library, 1, flushes=3500 * threads)
                                             for threads in (1, 2) for library in ("orec_lazy_stm", "pmemobj",
                                                                                   "orec_lazy_ip")))
        self.assertEqual(found, {"orec_lazy_ip": {"flushes": Range(3.5, 3.5, 3.5), "fences": Range(1, 1, 1)}})

    def test_latency_is_of_all_cores(self) -> None:
        found = self.series("latency", *(row("tatp", threads, "orec_lazy_ip", 1, latency_p99_us=threads)
                                         for threads in (1, 2, 4)))
        self.assertEqual(found["orec_lazy_ip"]["p99"], Range(2, 2, 2))
        self.assertEqual(list(found["orec_lazy_ip"]), ["p50", "p99", "p99.9"])

    def test_aborts_are_of_all_attempts_and_of_what_can_abort(self) -> None:
        found = self.series("aborts", row("tatp", 1, "orec_lazy_ip", 1, aborts_locked=150, aborts_validation=100),
                            *(row("tatp", 1, library, 1) for library in ("floor", "lock_stm", "lock_lazy_ip", "seq")),
                            row("tatp", 1, "libitm", 1, commits=0))
        self.assertEqual(found, {"orec_lazy_ip": {1: Range(20, 20, 20)}})


class Figures(unittest.TestCase):
    def test_all_quantities_that_a_campaign_has_become_files(self) -> None:
        rows = [row(panel, threads, library, 1000 * threads, trial, aborts_locked=threads)
                for panel in ("tatp", "tpcc-pact19") for threads in (1, 2, 4) for trial in (0, 1)
                for library in ("floor", "orec_lazy_ip")]
        self.assertEqual(self.written(rows), {"", "-share", "-persistence", "-latency", "-aborts"})
        self.assertEqual(self.written([each for each in rows if each["library"] != "floor"]),
                         {"", "-persistence", "-latency", "-aborts"})

    def test_a_campaign_has_the_further_figures_that_it_asks_for(self) -> None:
        rows = [row("queue", threads, library, 1000, flushes=100 * threads, volatile_bytes=threads << 20,
                    stored_bytes=0) for threads in (1, 2, 4)
                for library in ("floor", "orec_lazy_fast", "pmemobj")]
        found = {result: {drawing.quantity.name: drawing for drawing in plot.drawings(summarise(rows), result)}
                 for result in ("quick", "eurosys5", "eurosys8")}
        usual = set(found["quick"])
        self.assertEqual({result: set(names) - usual for result, names in found.items()},
                         {"quick": set(), "eurosys5": {"flushes"}, "eurosys8": {"memory", "storage"}})
        flushes = found["eurosys5"]["flushes"].series["queue"]
        self.assertEqual((set(flushes), flushes["floor"][4]), ({"floor", "orec_lazy_fast"}, Range(0.4, 0.4, 0.4)))
        memory = found["eurosys8"]["memory"].series["queue"]
        self.assertEqual(memory["pmemobj"], {threads: Range(threads, threads, threads) for threads in (1, 2, 4)})

    def test_results_of_older_programs_have_no_memory(self) -> None:
        rows = [row("queue", 1, library, 1000, **columns) for library, columns in
                (("floor", {}), ("orec_lazy_fast", {"volatile_bytes": 5 << 20, "stored_bytes": 3 << 20}))]
        names = {drawing.quantity.name for drawing in plot.drawings(summarise(rows[:1]), "eurosys8")}
        self.assertEqual(names & {"memory", "storage"}, set())
        cells = [line.split()[-2:] for line in table.Table("queue", summarise(rows)).lines()[1:]]
        self.assertEqual(cells, [["-", "-"], ["5", "3"]])

    def written(self, rows: list[dict[str, str]]) -> set[str]:
        """The figures, each of which is there in all three forms; drawn without a warning."""
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            for drawing in plot.drawings(summarise(rows)):
                plot.save(drawing, plot.base_of(Path(folder) / "x.csv", drawing.quantity))
            files = [path for path in Path(folder).iterdir() if path.stat().st_size > 1000]
            names = {path.stem for path in files}
            self.assertEqual({path.name for path in files},
                             {f"{name}{form}" for name in names for form in (".png", ".pdf", ".svg")})
            return {name.removeprefix("x") for name in names}

    def test_nothing_is_cut_off(self) -> None:
        panels = [panel.name for panel in PACT19]
        for libraries in (CAMPAIGNS["fig1"].libraries, CAMPAIGNS["fig2"].libraries, CAMPAIGNS["fig3"].libraries,
                          CAMPAIGNS["quick"].libraries, all_libraries()):
            drawing = drawing_of(libraries, panels)
            for shown in (panels, panels[:1]):
                figure = plot.draw(drawing, shown)
                figure.canvas.draw()
                page = figure.bbox.expanded(1.001, 1.001)
                for text in figure.findobj(lambda each: isinstance(each, Text) and each.get_text()):
                    box = text.get_window_extent()
                    self.assertTrue(page.contains(*box.min) and page.contains(*box.max),
                                    f"{len(libraries)} libraries, {len(shown)} panels: {text}")
                plot.plt.close(figure)

    def test_many_libraries_have_axes_for_each_mode_and_a_legend_of_algorithms(self) -> None:
        drawing = drawing_of(("floor", *CAMPAIGNS["fig3"].libraries), ["tatp"])
        self.assertEqual([heading.split()[0] for heading, _ in drawing.facets()], ["gp", "ip", "gpw", "fast"])
        self.assertEqual(drawing.names()[:3], ["floor", "lock_eager", "lock_lazy"])
        self.assertTrue(all("floor" in libraries for _, libraries in drawing.facets()))
        self.assertEqual(drawing_of(all_libraries(), ["tatp"], (1,)).names()[:5],
                         ["seq", "floor", "pmemobj", "lock", "lock_eager"])
        few = drawing_of(CAMPAIGNS["quick"].libraries, ["tatp"])
        self.assertEqual(few.names(), list(CAMPAIGNS["quick"].libraries))

    def test_curves_are_of_three_numbers_of_threads_and_more(self) -> None:
        self.assertEqual(drawing_of(("floor",), ["tatp"]).kind(), "curves")
        self.assertEqual(drawing_of(("floor",), ["tatp"], (1, 2)).kind(), "bars")

    def test_more_threads_than_cores_are_on_grey_ground(self) -> None:
        for threads, grounds in (((1, 2, 4), 1), ((1, 2), 0)):
            figure = plot.draw(drawing_of(("floor", "lock_stm"), ["tatp"], threads), ["tatp"])
            grey = [patch for patch in figure.axes[0].patches
                    if figure_style.matplotlib.colors.to_hex(patch.get_facecolor()) == figure_style.BACKGROUND]
            self.assertEqual((len(grey), "Grey ground" in figure.texts[0].get_text()), (grounds, grounds == 1))
            plot.plt.close(figure)

    def test_what_is_printed_has_pages(self) -> None:
        names = [panel.name for panel in CAMPAIGNS["workloads"].panels]
        pages = list(plot.pages(drawing_of(all_libraries(), names, (1,))))
        self.assertEqual([name for page in pages for name in page], names)
        self.assertTrue(all(len(page) <= 6 for page in pages))
        self.assertEqual(len(list(plot.pages(drawing_of(CAMPAIGNS["fig3"].libraries, names[:8])))), 1)

    def test_restart_is_drawn_over_the_sizes_of_pools(self) -> None:
        slowness = {"close": 1, "kill": 10}
        measured = [restart.Outcome(library, size, end, trial, slowness[end] * (size / 64 + trial), 1, 0, 0)
                    for library in ("floor", "orec_lazy_ip") for size in (64, 1024) for end in slowness
                    for trial in (0, 1, 2)]
        figure = restart.draw(measured)
        self.assertEqual([axes.get_title("left").split()[-1] for axes in figure.axes], ["close", "kill"])
        self.assertEqual([list(axes.lines[0].get_ydata()) for axes in figure.axes], [[2, 17], [20, 170]])
        plot.plt.close(figure)


if __name__ == "__main__":
    unittest.main()
