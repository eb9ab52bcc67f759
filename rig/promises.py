"""The table of promises in CONTRIBUTING.md: which tests of the rig show what."""

import re
from pathlib import Path

FILE = Path(__file__).resolve().parent.parent / "CONTRIBUTING.md"
HEADING = "| promise | each landing | a release besides |"


def rows():
    """Each promise, and the names of tests of the rig in both columns; a name stands for all that begin with it."""
    text = FILE.read_text()
    if HEADING not in text:
        raise ValueError(f"{FILE.name} has no table “{HEADING}”.")
    lines = text.split(HEADING)[1].splitlines()[2:]
    lines = lines[:next((number for number, line in enumerate(lines) if not line.startswith("|")), None)]
    for promise, *columns in (line.strip("|").split("|") for line in lines):
        yield promise.strip(), *(set(re.findall(r"`(test_[\w.]+)`", column)) for column in columns)


def names(test):
    """All names by which the table may speak of a test: of its module, of its class, its own."""
    parts = test.split(".")
    return {".".join(parts[:count]) for count in (1, 2, 3)}


def shown_by(tests):
    """The promises that any of these tests would have shown."""
    spoken = set().union(*map(names, tests)) if tests else set()
    return [promise for promise, landing, release in rows() if (landing | release) & spoken]
