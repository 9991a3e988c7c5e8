"""Sources of Debian packages, for tests that compile code of others. Fetched once, and no part of this tree."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path


def download(package: str, folder: Path) -> bool:
    """Unpacks the binary package into the folder. \returns whether it is there; otherwise the reason is printed."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "usr").exists():
        return True
    try:
        subprocess.run(["apt-get", "-qq", "-o", "APT::Sandbox::User=", "download", package], cwd=folder, check=True,
                       text=True, capture_output=True, timeout=300)
        archive = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "--extract", archive.name, "."], cwd=folder, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"no package {package}: {error}")
        return False
    return True


def fetch(package: str, folder: Path, sought: str) -> Path | None:
    """The first file that the pattern `sought` finds in the package's source, unpacked in the folder; None, and the
    reason is printed, where apt has no source."""
    if found := sorted(folder.glob(sought)):
        return found[0]
    lists, cache = folder / "lists" / "partial", folder / "cache" / "archives" / "partial"
    lists.mkdir(parents=True, exist_ok=True)
    cache.mkdir(parents=True, exist_ok=True)
    sources = folder / "sources.list"
    sources.write_text("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian "
                       "bookworm main\n")
    apt = ["apt-get", "-qq", "-o", f"Dir::State::lists={lists.parent}", "-o", f"Dir::Cache={folder / 'cache'}",
           "-o", f"Dir::Etc::sourcelist={sources}", "-o", "Dir::Etc::sourceparts=-", "-o", "APT::Sandbox::User="]
    for command in (["update"], ["source", "--download-only", package]):
        try:
            done = subprocess.run([*apt, *command], cwd=folder, text=True, capture_output=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"no source of {package}: {error}")
            return None
        # A mirror may lack what Debian adds to a source, which is not needed here.
        if done.returncode != 0 and not list(folder.glob(f"{package}_*.orig.tar.*")):
            print(f"no source of {package}: {done.stderr.strip()}")
            return None
    archive = next(folder.glob(f"{package}_*.orig.tar.*"))
    with tarfile.open(archive) as files:
        files.extractall(folder)
    return sorted(folder.glob(sought))[0]
