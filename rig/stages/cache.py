"""Keeps finished stages in `.rig/`, each in a folder named after the hash of everything that it was made from."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path


def files_hash(*paths):
    """Hash of the names, contents and executable bits of files and whole folders."""
    digest = hashlib.sha256()
    for path in map(Path, paths):
        found = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and p.suffix != ".pyc")
        for file in found:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(path.parent)} {os.access(file, os.X_OK)} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()


class Cache:
    """The folder of finished stages. A stage is made in a temporary folder and renamed: half of one is never taken for a whole."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def lock(self):
        """Lets one build work here at a time."""
        with open(self.folder / "lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            for left in self.folder.glob("making.*"):
                shutil.rmtree(left)
            yield

    def stage(self, name, inputs, make):
        """Returns the folder of stage `name` made from `inputs` (strings); calls `make(folder)` if there is none yet."""
        key = hashlib.sha256("\0".join(map(str, inputs)).encode()).hexdigest()[:16]
        done = self.folder / f"{name}-{key}"
        if done.is_dir():
            return done
        print(f"rig: building {name} ...", file=sys.stderr, flush=True)
        start = time.monotonic()
        making = Path(tempfile.mkdtemp(prefix=f"making.{name}.", dir=self.folder))
        try:
            making.chmod(0o755)
            make(making)
            for old in self.folder.glob(f"{name}-*"):
                shutil.rmtree(old)
            making.rename(done)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
        print(f"rig: {name} built in {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
        return done
