"""SQLite, compiled with the plugin: its database in memory lies in a pool, each step is a transaction. The
database leads to variables of the program, so the program is linked to have one address always. Where apt has no source
of it, or no Tcl to put it together with, the test is skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from debian_source import download, fetch
from stepwise_program import SKIPPED, Steps, build, options_for

HERE = Path(__file__).resolve().parent
STEPS = 1000
FLAGS = ("-w", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION")


class Database(Steps.Test):
    steps = STEPS
    arguments = (str(STEPS),)


def environment_with_tcl(folder: Path) -> dict[str, str] | None:
    """With a `tclsh` in the path, which need not be installed; None where there is none."""
    environment = dict(os.environ)
    if shutil.which("tclsh"):
        return environment
    if not all(download(package, folder / package) for package in ("tcl8.6", "libtcl8.6")):
        return None
    program = next((folder / "tcl8.6").glob("usr/bin/tclsh8.*"))
    library = next((folder / "libtcl8.6").glob("usr/lib/*/libtcl8.*.so*"))
    names = folder / "bin"
    names.mkdir(exist_ok=True)
    if not (names / "tclsh").exists():
        (names / "tclsh").symlink_to(program)
    return environment | {"PATH": f"{names}:{environment['PATH']}", "LD_LIBRARY_PATH": str(library.parent),
                          "TCL_LIBRARY": str(next((folder / "libtcl8.6").glob("usr/share/tcltk/tcl8.*")))}


def one_file(folder: Path) -> Path | None:
    """Its sources in one, `sqlite3.c`, as its own build makes it."""
    configure = fetch("sqlite3", folder, "*/configure")
    environment = environment_with_tcl(folder)
    if configure is None or environment is None:
        return None
    made = folder / "one_file"
    made.mkdir(exist_ok=True)
    if not (made / "sqlite3.c").exists():
        for command in ([configure, "--disable-tcl"], ["make", "sqlite3.c"]):
            subprocess.run(command, cwd=made, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=300)
    return made / "sqlite3.c"


def main() -> None:
    options = options_for(__doc__, ["sqlite"])
    source = one_file(options.folder)
    if source is None:
        sys.exit(SKIPPED)
    files = [HERE / "structures" / "sqlite.c"]
    flags = [*FLAGS, "-I", source.parent, *options.flags.split(), "-lm"]
    Database.plain = build(files, options.folder / "plain" / "program", options.plain_compiler, [*flags, "-DPLAIN"],
                           language="c")
    Database.host = build(files, options.folder / "host" / "program", options.compiler,
                          [*flags, "-no-pie", "-fno-pie", "--serial-calls", f"--tm={options.tm}"], language="c")
    unittest.main(argv=[sys.argv[0], "-v"])


if __name__ == "__main__":
    main()
