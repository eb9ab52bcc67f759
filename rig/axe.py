"""The accessibility checker that looks at pages: fetched once, from the registry of Python packages, and taken only where its hash is the one we know."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from browser import AXE

#: What is fetched, by name, version and hash.
WANTED = Path(__file__).resolve().parent / "axe.txt"
SCRIPT = "axe_playwright_python/axe.min.js"


def fetch():
    """Puts it where tests take it from, unless what is there is no older than what is wanted."""
    if AXE.exists() and AXE.stat().st_mtime >= WANTED.stat().st_mtime:
        return
    print("Fetching the accessibility checker (axe-core)", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes",
                        "-d", folder, "-r", str(WANTED)], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        script = zipfile.ZipFile(wheel).read(SCRIPT)
    AXE.parent.mkdir(exist_ok=True)
    new = AXE.with_suffix(".new")
    new.write_bytes(script)
    new.rename(AXE)
