"""The rig's own small programs for the guest."""

from pathlib import Path

from . import cache, host
from .target import TARGET

SOURCES = Path(__file__).parent.parent / "guest"
AGENT = "agent"


def stage(store):
    """Folder with one program for each C file in `guest/`, and one for those in `guest/agent/`."""
    inputs = [cache.files_hash(__file__, *sorted(SOURCES.glob("*.[ch]")), SOURCES / AGENT), host.run(f"{TARGET.tools}gcc", "--version")]
    return store.stage("tools", inputs, make)


def make(folder):
    # The agent looks up users and names, for which libc loads what it needs; the others start sooner without a loader.
    compile(folder / AGENT, sorted((SOURCES / AGENT).glob("*.c")), "-pthread")
    for source in sorted(SOURCES.glob("*.c")):
        compile(folder / source.stem, [source], *([] if "getpwnam" in source.read_text() else ["-static"]))


def compile(program, sources, *options):
    host.run(f"{TARGET.tools}gcc", "-O2", "-Wall", "-Wextra", "-Werror", *options, "-o", program, *sources)
