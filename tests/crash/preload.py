"""What a library is preloaded by. The loader ends names at spaces and colons, so one that lies in such a folder is
preloaded by a link in another one."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path


@cache
def preloadable(library: Path) -> str:
    """\\returns the value of LD_PRELOAD."""
    path = library.resolve()
    if not set(str(path)) & {" ", ":"}:
        return str(path)
    folder = tempfile.TemporaryDirectory(prefix="perdure_preload_")
    atexit.register(folder.cleanup)
    link = Path(folder.name) / path.name
    link.symlink_to(path)
    return str(link)
