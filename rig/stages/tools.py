"""The rig's own small programs for the guest."""

from pathlib import Path

from . import cache, host

SOURCES = Path(__file__).parent.parent / "guest"


def stage(store):
    """Folder with one program for each C file in `guest/`."""
    inputs = [cache.files_hash(__file__, *sorted(SOURCES.glob("*.c"))), host.run("gcc", "--version")]
    return store.stage("tools", inputs, make)


def make(folder):
    for source in sorted(SOURCES.glob("*.c")):
        host.run("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", folder / source.stem, source)
