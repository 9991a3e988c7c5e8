"""A new algorithm is one header and one row in the table: in a copy of the sources, one is added, built and tested.

The algorithm is orec_lazy by another name, so whatever else would have to be written shows as a failure. Building takes
minutes: without --build, the copy is configured only, and looked at.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
NOT_SOURCES = ("build", "results", ".*", "__pycache__")
HEADER = """#ifndef PERDURE_ALGORITHMS_TWIN_H
#define PERDURE_ALGORITHMS_TWIN_H

#include "algorithms/orec_lazy.h"

namespace perdure::algorithms {

template <class ModeType>
class Twin : public OrecLazy<ModeType> {
 public:
  constexpr Twin() = default;
};

}  // namespace perdure::algorithms

#endif
"""
ROW = {"log": "redo", "doomed_readers": True, "conflicts": True, "colour": "#123456", "marker": "d",
       "modes": {"ip": ["short"], "fast": ["short", "simulated"]}}
LOOK = "import figure_style, panels; look = figure_style.look_of('twin_fast'); print(look.colour, look.marker, " \
       "'twin_ip' in panels.all_libraries(), 'twin_fast' in panels.CAMPAIGNS['fig3'].libraries)"


class NewAlgorithm(unittest.TestCase):
    arguments: argparse.Namespace

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.copy = self.folder / "sources"
        shutil.copytree(SOURCE, self.copy, ignore=shutil.ignore_patterns(*NOT_SOURCES))

    def run_in_copy(self, *command: object) -> str:
        done = subprocess.run(list(map(str, command)), cwd=self.copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        self.assertEqual(done.returncode, 0, f"{command}:\n{done.stdout[-4000:]}")
        return done.stdout

    def test_is_a_header_and_a_row(self) -> None:
        (self.copy / "algorithms" / "twin.h").write_text(HEADER)
        table = self.copy / "algorithms" / "libraries.json"
        content = json.loads(table.read_text())
        content["algorithms"]["twin"] = ROW
        table.write_text(json.dumps(content))

        build = self.copy / "build" / f"llvm{self.arguments.llvm}"
        self.run_in_copy("cmake", "-S", self.copy, "-B", build, "-G", "Ninja", "-DPERDURE_MODES=ip,fast",
                         "-DPERDURE_LIBCXX=OFF", f"-DPERDURE_PLUGIN={self.arguments.plugin}",
                         f"-DPERDURE_LLVM_VERSION={self.arguments.llvm}")
        if self.arguments.build:
            tests = ("flush_counts_test_twin_fast", "statistics_test_twin_fast")
            self.run_in_copy("cmake", "--build", build, "--parallel", "2", "--target", *tests)
            for test in tests:
                self.run_in_copy(build / "bin" / test)

        listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], text=True, check=True,
                                           stdout=subprocess.PIPE).stdout)
        missing = {"isolated_twin_fast", "crash_bank_twin_fast_long", "exploration_test_twin_fast_sim"}
        self.assertEqual(missing - {test["name"] for test in listed["tests"]}, set())
        self.assertIn("twin_fast", self.run_in_copy(build / "bin" / "perdure-c++", "--tm=list").split())
        look = self.run_in_copy("env", f"PYTHONPATH={self.copy / 'scripts'}", sys.executable, "-c", LOOK)
        self.assertEqual(look.split(), ["#123456", "d", "True", "True"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--build", action="store_true")
    NewAlgorithm.arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
