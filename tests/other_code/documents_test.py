"""Documents of libraries that Debian has the source of, compiled as C++ with the plugin: pugixml (its header alone, and
as a file of its own), TinyXML-2, cJSON and yaml-cpp. The document lies in a pool, each step is a transaction. Where
apt has no source the test is skipped."""

from __future__ import annotations

import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

from debian_source import fetch
from stepwise_program import SKIPPED, Steps, build, options_for

HERE = Path(__file__).resolve().parent
STEPS = 2000


@dataclass(frozen=True)
class Library:
    package: str
    header: str
    sources: str  # a pattern, from the header's folder on; none: the header has everything
    flags: tuple[str, ...] = ()
    flags_with_transactions: tuple[str, ...] = ()


LIBRARIES = {
    "pugixml": Library("pugixml", "src/pugixml.hpp", "", ("-DPUGIXML_HEADER_ONLY",)),
    "pugixml_file": Library("pugixml", "src/pugixml.hpp", "pugixml.cpp"),
    "tinyxml2": Library("tinyxml2", "tinyxml2.h", "tinyxml2.cpp", flags_with_transactions=("--serial-calls",)),
    "cjson": Library("cjson", "cJSON.h", "cJSON.c"),
    "yaml-cpp": Library("yaml-cpp", "include/yaml-cpp/yaml.h", "../../src/*.cpp",
                        flags_with_transactions=("--serial-calls",)),
}


class Documents(Steps.Test):
    steps = STEPS
    arguments = (str(STEPS),)


def main() -> None:
    options = options_for(__doc__, LIBRARIES)
    library = LIBRARIES[options.program]
    header = fetch(library.package, options.folder, f"*/{library.header}")
    if header is None:
        sys.exit(SKIPPED)
    source = header.parent
    files = [HERE / "documents" / f"{library.package}.cc"]
    if library.sources:
        files += sorted(source.glob(library.sources))
    flags = ["-std=c++20", "-w", "-I", source, "-I", source.parent, *library.flags, *options.flags.split()]
    whole = ["-flto"] if library.sources else []
    Documents.plain = build(files, options.folder / "plain" / "program", options.plain_compiler, [*flags, "-DPLAIN"])
    Documents.host = build(files, options.folder / "host" / "program", options.compiler,
                           [*flags, *whole, *library.flags_with_transactions, f"--tm={options.tm}"])
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
