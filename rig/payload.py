"""Programs under test, as a disk for the guest: binaries and the shared libraries they need, or a Debian package and those it depends on."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from machine import PAYLOAD_SIZE
from stages import dependencies
from stages.host import Failed, run
from stages.target import IS_FOREIGN, TARGET

# Part of every Debian, hence of the guest; and of one piece with its loader, so never to be mixed with another.
SYSTEM_LIBRARY = re.compile(r"^(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libgcc_s)\.so\b|^linux-vdso")


def libraries(program):
    """Shared libraries of `program` that are not the system's, as files on this machine. A guest with another processor has its own, see stages/root.py."""
    if IS_FOREIGN:
        return {}
    listed = subprocess.run(["ldd", str(program)], stdout=subprocess.PIPE, check=True, text=True).stdout
    lacking = re.findall(r"^\s*(\S+) => not found", listed, re.M)
    if lacking:
        raise FileNotFoundError(f"{program} needs {', '.join(lacking)}")
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M)
    return {name: Path(path) for name, path in found if not SYSTEM_LIBRARY.match(name)}


def worker(program):
    """The fenced decoder, which scangate looks for beside itself."""
    return Path(program).parent / "scangate-decode"


def beside(program):
    """What else of ours is looked for beside the program: who makes reports."""
    return Path(program).parent / "scangate-report"


def of_a_fleet():
    """What stations of a fleet load and ask: the client's library, and Debian's server; none for a guest with another processor."""
    if IS_FOREIGN:
        return None, None
    library = re.search(r"=> (\S+/libnats\.so\.\S+)", run("/sbin/ldconfig", "-p"))
    return Path(library[1]) if library else None, Path(run(Path(__file__).resolve().parent.parent / "scripts/nats-server").strip())


def directory(program, into):
    """Fills `into` with `bin/scangate` (a starter), `lib/` and the stripped program itself, whatever it is called here; and so the worker beside it, if there is one."""
    program, into = Path(program), Path(into)
    check(program)
    for name in ("bin", "lib", "libexec", "libexec/real"):
        (into / name).mkdir(parents=True)
    install(program, into, "libexec/scangate", into / "bin/scangate")
    if worker(program).exists():
        # It starts with an environment of its own, hence with a starter of its own in the place where it is looked for.
        install(worker(program), into, "libexec/real/scangate-decode", into / "libexec/scangate-decode")
    if beside(program).exists():
        install(beside(program), into, "libexec/real/scangate-report", into / "bin/scangate-report")
    client, server = of_a_fleet()
    if server:
        shutil.copy(server, into / "bin")
    if client:
        # Loaded by its name, so that no program of ours names it.
        for name, path in {client.name: client, **libraries(client)}.items():
            shutil.copy(path, into / "lib" / name)


def check(program):
    """Says it of a program for another processor than the guest's, which would there be no more than a file that cannot be run."""
    header = run("readelf", "-h", program)
    machine = re.search(r"^\s*Machine:\s*(.*)$", header, re.M)[1]
    if machine != TARGET.machine_name:
        raise Failed(f"{program} is for {machine}, and the guest's processor is {TARGET.machine_name}: rig/test --arch NAME --scangate PATH")


def install(program, into, name, starter):
    """Copies a program and the libraries it needs, stripped, and makes what starts it."""
    for target, path in {into / name: program, **{into / "lib" / library: path for library, path in libraries(program).items()}}.items():
        if target.exists():
            continue
        shutil.copy(path, target)
        if path == program or path.stat().st_size > 1 << 20:
            subprocess.run([f"{TARGET.tools}strip", "-g", target], check=False, stderr=subprocess.DEVNULL)
    # No shell: an emulated processor takes longer to start one than this.
    source = f"""#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {{
  (void)count;
  words[0] = "/payload/{name}";
  setenv("LD_LIBRARY_PATH", "/payload/lib", 1);
  execv("/payload/{name}", words);
  return 127;
}}
"""
    run(f"{TARGET.tools}gcc", "-O2", "-static", "-x", "c", "-o", starter, "-", input=source)


def image(folder):
    """An ext4 image with the content of `folder`, of the one size that the guest's disk has."""
    folder = Path(folder)
    file = tempfile.NamedTemporaryFile(prefix="rig.payload.", suffix=".ext4", delete=False)
    file.truncate(PAYLOAD_SIZE)
    file.close()
    run("mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-N", "4096", "-E", "lazy_itable_init=1,root_owner=0:0", "-d", folder, file.name)
    return Path(file.name)


def of_program(program, cache):
    """The image for a program and its worker, made anew when the content of one has changed."""
    program = Path(program).resolve()
    return stored("payload", content_key(__file__, *filter(lambda path: path and path.exists(), [program, worker(program), beside(program), *of_a_fleet()])), cache, lambda content: directory(program, content))


def of_package(deb, cache):
    """The image for a Debian package: it and the packages that the guest lacks for it, in `debs/`; and in `fleet/` Debian's package of nats-server, and the client's
    library with what it loads, which ours only suggests."""
    deb, root = Path(deb).resolve(), dependencies.root_folder(Path(cache))

    def fill(content):
        (content / "debs").mkdir(parents=True)
        for each in [deb, *dependencies.lacking(deb, root, Path(cache))]:
            shutil.copy(each, content / "debs")
        if server:
            (content / "fleet").mkdir()
            shutil.copy(package_of(server), content / "fleet")
        if client:
            for path in {client, *libraries(client).values()}:
                shutil.copy(path, content / "fleet" / path.name)

    client, server = of_a_fleet()
    return stored("package", content_key(__file__, deb, root / "root.status", *filter(None, [client, server])), cache, fill)


def package_of(server):
    """The Debian package that scripts/nats-server has unpacked a server of."""
    return next(server.parents[2].glob("*.deb"))


def content_key(*files):
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def stored(name, key, cache, fill):
    """The image of the folder that `fill(folder)` fills, kept under a key in place of those with other keys."""
    done = Path(cache) / f"{name}-{key}.ext4"
    if done.exists():
        return done
    with tempfile.TemporaryDirectory(prefix="rig.payload.") as folder:
        fill(Path(folder) / "content")
        fresh = image(Path(folder) / "content")
    for old in Path(cache).glob(f"{name}-*.ext4"):
        if old != done:  # another may have made the very same meanwhile, and be about to use it
            old.unlink(missing_ok=True)
    run("cp", "--sparse=always", fresh, f"{done}.{os.getpid()}")
    os.unlink(fresh)
    os.rename(f"{done}.{os.getpid()}", done)
    return done
