"""Lua 5.4, as Debian has its source, compiled as C++ with the plugin: its state lies in a pool, each step of a script
is a transaction. Where apt has no source the test is skipped.
"""

from __future__ import annotations

import argparse
import sys
import unittest
from pathlib import Path

from debian_source import fetch
from stepwise_program import SKIPPED, Steps, build

HERE = Path(__file__).resolve().parent
CORE = ("lapi lcode lctype ldebug ldo ldump lfunc lgc llex lmem lobject lopcodes lparser lstate lstring ltable ltm "
        "lundump lvm lzio").split()
LIBRARIES = "lauxlib lbaselib lcorolib lmathlib lstrlib ltablib lutf8lib".split()


class Lua(Steps.Test):
    steps = 20000
    arguments = (HERE / "lua" / "steps.lua", str(steps))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True, help="perdure-c++")
    parser.add_argument("--plain-compiler", required=True, help="the compiler that it calls")
    parser.add_argument("--folder", type=Path, required=True, help="for the source and what is built")
    parser.add_argument("--tm", default="orec_lazy_fast", help="the library")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    header = fetch("lua5.4", options.folder, "lua-*/src/lua.h")
    if header is None:
        sys.exit(SKIPPED)
    source = header.parent
    files = [source / f"{name}.c" for name in (*CORE, *LIBRARIES)] + [HERE / "lua" / "host.cc"]
    flags = ["-O1", "-std=c++20", "-DLUA_COMPAT_5_3", "-Dluai_makeseed(state)=42", "-I", source, "-w"]
    Lua.plain = build(files, options.folder / "plain" / "host", options.plain_compiler, [*flags, "-DPLAIN"])
    Lua.host = build(files, options.folder / "host" / "host", options.compiler,
                     [*flags, "-flto", f"--tm={options.tm}"])
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
