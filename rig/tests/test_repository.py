"""apt takes the package from a signed repository, over HTTP: installed, updated while people pass, taken back, removed and purged."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest
from pathlib import Path

import case
import payload
from rig import FOLDER, MS, Rig, built
from service import BOOK, CONFIGURATION, GATEWAY, HOLDER, KEY, ServiceCase
from sets import release
from stages import archive, cache, dependencies, host, unpacked
from stages.host import run
from stages.target import IS_FOREIGN, TARGET
from test_update import CODES, JOURNAL, Update, later

#: Where the guest has its second disk, and the repository on it.
DISK = "/payload"
REPOSITORY = f"{DISK}/apt"
ADDRESS = "http://127.0.0.1:8888"
ROOT = Path(__file__).resolve().parent.parent.parent
#: In seconds; the product's own is shorter, and tests of its own have it.
PATIENCE_OF_WATCHDOG = 60
#: So that it says what an administrator reads, and nothing else, for the guest has no terminal; and keeps what it fetches where there is room.
SETTINGS = f'Dir::Cache "{DISK}/cache"; Acquire::Languages "none"; Apt::Cmd::Disable-Script-Warning "true"; quiet "1"; Dpkg::Use-Pty "false";'
LISTS = f"{REPOSITORY}/dists/stable"
#: What a repository may have come to on the way, or have been made to, by what of it is then fetched; and how apt refuses it.
WRONG_LISTS = {
    "another's signature": (f"cp {REPOSITORY}/stranger.asc /etc/apt/keyrings/scangate.asc", "NO_PUBKEY"),
    "lists that were changed after they were signed": (f"sed -i s/Label:/Labels:/ {LISTS}/InRelease", "BADSIG|invalid"),
    "a list of packages that was changed": (
        f"cd {LISTS}/main/binary-{TARGET.name}; sed -i 's/^Version: .*/Version: 99-1/' Packages; gzip -9nkf Packages", "Hash Sum mismatch|unexpected size"),
    "no signature": (f"rm {LISTS}/InRelease {LISTS}/Release.gpg", "is not signed"),
}
WRONG_PACKAGES = {
    "half a package": ("truncate -s 9000000 PACKAGE", "unexpected size|Hash Sum mismatch"),
    "a package of which one byte is another": ("printf x | dd of=PACKAGE bs=1 seek=1000000 conv=notrunc status=none", "Hash Sum mismatch"),
}


def apt_packages():
    """apt, which the bare guest is made without, and what it needs there."""
    status = dependencies.root_folder(FOLDER) / "root.status"
    if IS_FOREIGN:
        index = archive.Index(FOLDER / "index", archive.RELEASE, TARGET.name, status)
        said = index.run("apt-get", "-s", "install", "apt", "gpgv")
    else:
        said = run("apt-get", "-o", f"Dir::State::status={status}", "-o", "APT::Architecture=amd64", "--no-install-recommends", "-s", "install", "apt", "gpgv")
    wanted = dict(re.findall(r"^Inst (\S+) \((\S+) ", said, re.M))

    def fetch(into):
        if not IS_FOREIGN:
            return host.download(wanted, into)
        # Its system is one that has apt.
        if wanted:
            index.run("apt-get", "-qq", "download", *(f"{name}={version}" for name, version in wanted.items()))
        for each in index.folder.glob("*.deb"):
            each.rename(into / each.name)

    store = cache.Cache(FOLDER)
    with store.lock():
        return sorted(store.stage("apt", [f"{name} {version}" for name, version in wanted.items()], fetch).glob("*.deb"))


def repository(folder, *debs):
    """A repository in `folder`, signed by a key made for it; and another's key, beside it."""
    home = folder / "gpg"
    home.mkdir(mode=0o700)
    environment = os.environ | {"GNUPGHOME": str(home), "RELEASE_URL": ADDRESS}
    for name in ("maker", "stranger"):
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "1d", env=environment)
    environment["RELEASE_KEY"] = re.search(r"^fpr:(?:[^:]*:){8}(\w+):", run("gpg", "--batch", "--with-colons", "--list-secret-keys", "maker", env=environment), re.M)[1]
    run(ROOT / "scripts/repository", folder / "apt", *debs, env=environment)
    run("gpg", "--batch", "--armor", "--output", folder / "apt/stranger.asc", "--export", "stranger", env=environment)
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], env=environment, check=False)


@contextlib.contextmanager
def disk(*debs, beside=()):
    """A disk for the guest with a repository of these packages, apt, and what serves the one to the other; `beside` are packages of Debian that it lacks.

    Not sent into the guest: to take in and lay out so much keeps an emulated processor from everything else for a minute, a gateway's heartbeat among it.
    """
    with tempfile.TemporaryDirectory(prefix="rig.apt.") as place:
        folder = Path(place, "disk")
        (folder / "system").mkdir(parents=True)
        repository(folder, *debs)
        shutil.rmtree(folder / "gpg")
        for deb in [*apt_packages(), *beside]:
            shutil.copy(deb, folder / "system")
        shutil.copy(unpacked.busybox(Path(place, "early")) if IS_FOREIGN else "/bin/busybox", folder)
        image = payload.image(folder)
    try:
        yield image
    finally:
        # Whose disk it is has it open.
        image.unlink()


def serve(rig):
    """Has apt in the guest, and the repository served to it."""
    # What was read of the disk that the saved guest had is not what is there now.
    rig.sh(f"""! mountpoint -q {DISK} || umount {DISK}
        mkdir -p {DISK} && blockdev --flushbufs /dev/vdb && mount -t ext4 -o noatime /dev/vdb {DISK}
        set -- {DISK}/system/*.deb; [[ ! -e $1 ]] || dpkg -i "$@" 2>&1
        mkdir -p {DISK}/cache/archives/partial; echo '{SETTINGS}' > /etc/apt/apt.conf.d/90rig
        rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*  # Debian's cannot be reached from here
        install -D -m 644 {REPOSITORY}/scangate.asc /etc/apt/keyrings/scangate.asc
        install -D -m 644 {REPOSITORY}/scangate.sources /etc/apt/sources.list.d/scangate.sources
        systemd-run -q --unit=archive {DISK}/busybox httpd -f -p 127.0.0.1:8888 -h {REPOSITORY}""", timeout=400)
    rig.wait_until("port 127.0.0.1 8888", timeout=150)


def ask(rig, command, timeout=120, check=True):
    """Has the guest do what an administrator types, shows it with what was answered, and gives the answer."""
    said = rig.sh(f"{command} 2>&1", timeout, check)
    show(f"# {command}", *said.splitlines())
    return said


def show(*lines):
    print(textwrap.indent("\n".join(lines), "        "), flush=True)


def version(deb):
    return run("dpkg-deb", "-f", deb, "Version").strip()


@release
class Repository(ServiceCase):
    """Each test goes on where the one before has ended."""

    people_pass, lines, outbox, assert_books_agree = Update.people_pass, Update.lines, Update.outbox, Update.assert_books_agree
    form_of_journal, is_known_to_the_former = Update.form_of_journal, Update.is_known_to_the_former

    @classmethod
    def resume(cls, stage):
        made, state, _ = cls.made(stage)
        with tempfile.TemporaryDirectory(prefix="rig.update.") as folder:
            former, new = (case.former, case.deb) if case.former else (case.deb, later(case.deb, folder))
            cls.former, cls.new = version(former), version(new)
            with disk(former, shutil.copy(new, Path(folder, f"scangate_{cls.new}_{TARGET.name}.deb"))) as image:
                rig = Rig.resume(made["kernel"], made["disk"], state, image)
        rig.state = state
        return rig

    @classmethod
    def start(cls):
        rig = super().start()
        # While nothing that is to be shown goes on: here apt is put in, and what is busy with that on an emulated processor may be late with its heartbeat.
        rig.put(f"[Service]\nWatchdogSec={PATIENCE_OF_WATCHDOG}\n", f"/etc/systemd/system/{GATEWAY}.d/watchdog.conf")
        rig.sh(f"systemctl stop {GATEWAY} venue; rm {BOOK}*; systemctl daemon-reload", timeout=150)
        serve(rig)
        if case.former:
            # With a journal of its own: that of the package under test may be of a form that the former one does not know.
            rig.sh(f"dpkg -i {REPOSITORY}/pool/scangate_{cls.former}_{TARGET.name}.deb; systemctl stop {GATEWAY}; rm -f {JOURNAL}*; systemctl restart {HOLDER}", timeout=400)
        # A ticket system is elsewhere: what it runs is not replaced, and takes none of the station's room.
        rig.sh(f"cp /usr/bin/scangate {DISK}/venue; ln -s {DISK}/venue /usr/local/bin/scangate")
        cls.serve_tickets(rig, codes=CODES, kind="sale")
        rig.sh("rm /usr/local/bin/scangate")
        rig.put(Update.configured(), CONFIGURATION)
        rig.sh(f"systemctl start {GATEWAY}", timeout=200)
        return rig

    def setUp(self):
        super().setUp()
        Update.watch(self)

    def installed(self):
        return self.rig.sh("dpkg-query -W -f '${Version}' scangate")

    def put_in(self, wanted, options=""):
        """Has apt put in a version while people pass; tells for how long nobody could."""
        since = self.rig.mark()
        pid = self.rig.main_pid(GATEWAY)
        command = f"apt install -y{options} scangate={wanted}"
        installing = self.rig.machine.start(f"{command} 2>&1")
        self.people_pass(installing, then=1)
        status, said = installing.result(0)
        said = said.decode(errors="replace")
        show(f"# {command}    (while people pass)", *said.splitlines())
        self.assertEqual(status, 0)
        # A former one says what it says.
        self.assertNotRegex(said, "(?mi)^[EW]:|error|warning|failed" if wanted == self.new else "(?m)^E:")
        self.rest()
        self.assertEqual(self.installed(), wanted)
        self.assertNotEqual(self.rig.main_pid(GATEWAY), pid, "the gateway was not started again")

        # All by the guest's own clock, from when apt was called.
        def seconds(at):
            return (at - since) / MS / 1000

        show("Seconds from then:")
        for queue in self.queues:
            opened = [pulse.at for pulse in self.rig.pulses(queue._line, since)]
            gaps = [(after - before) / MS / 1000 for before, after in zip(opened, opened[1:])]
            show(f"{queue.gate} opened at {' '.join(f'{seconds(at):.1f}' for at in opened)}",
                 f"    {len(opened)} persons; between two of them {min(gaps, default=0):.1f} s at least, {max(gaps, default=0):.1f} s at most")
        # From systemd's word that the former one ended to the new one's that it is ready.
        stopped, ready = (int(self.rig.unit(GATEWAY, f"{state}EnterTimestampMonotonic")) * 1000 for state in ("Inactive", "Active"))
        show(f"gateway ended at {seconds(stopped):.1f}, ready at {seconds(ready):.1f}: away for {(ready - stopped) / MS / 1000:.1f} s, on an emulated processor")
        self.assertGreater(ready, stopped)

    def refuses(self, what, wrong, command, words):
        """apt does not take it, and nothing has changed then."""
        before = self.installed(), self.rig.main_pid(GATEWAY)
        show(f"--- {what}")
        self.rig.sh(wrong)
        self.assertRegex(ask(self.rig, command, 300, check=False), words, what)
        self.assertEqual((self.installed(), self.rig.main_pid(GATEWAY)), before, what)

    def test_1_what_is_wrong_is_refused(self):
        self.rig.sh(f"cp -a {REPOSITORY}/dists {DISK}/whole")
        for what, (wrong, words) in WRONG_LISTS.items():
            with self.subTest(what):
                self.refuses(what, wrong, "apt update", words)
                self.assertNotIn(ADDRESS, self.rig.sh("apt-cache policy scangate"), f"{what}: what it offers is known all the same")
            self.rig.sh(f"rm -r {REPOSITORY}/dists; cp -a {DISK}/whole {REPOSITORY}/dists; cp {REPOSITORY}/scangate.asc /etc/apt/keyrings/; rm -rf /var/lib/apt/lists/*")
        ask(self.rig, "apt update")
        deb = f"{REPOSITORY}/pool/scangate_{self.new}_{TARGET.name}.deb"
        self.rig.sh(f"cp {deb} {DISK}/whole.deb")
        for what, (wrong, words) in WRONG_PACKAGES.items():
            with self.subTest(what):
                self.refuses(what, wrong.replace("PACKAGE", deb), f"apt install -y scangate={self.new}", words)
            self.rig.sh(f"cp {DISK}/whole.deb {deb}")

    def test_2_updated_while_people_pass_and_taken_back(self):
        self.assertNotRegex(ask(self.rig, "apt update"), "(?m)^[EW]:")
        ask(self.rig, "apt list -a scangate")
        self.assertEqual(self.installed(), self.former)
        self.people_pass(then=2)
        self.form = self.form_of_journal()
        self.put_in(self.new)
        # One that does not know the journal any more is test_update's.
        if self.is_known_to_the_former():
            self.people_pass(then=2)
            self.put_in(self.former, " --allow-downgrades")
        else:
            show("not put back: the former version does not know the journal as it is now")
        self.assert_books_agree()

    def test_3_removed_installed_again_and_purged(self):
        kept = f"{CONFIGURATION} {KEY} {JOURNAL}"
        before = self.rig.sh(f"cat {CONFIGURATION} {KEY} | sha256sum")
        admitted = len(self.lines("scangate journal list --json --limit 1000"))
        ask(self.rig, "apt remove -y scangate", 300)
        self.rig.sh(f"ls {kept}; ! ls /usr/bin/scangate 2>/dev/null")
        self.assertEqual(self.rig.unit(GATEWAY, "LoadState"), "masked")
        said = ask(self.rig, "apt install -y scangate", 300)
        self.assertIn(self.new, said)
        self.assertNotRegex(said, "(?i)error|warning|failed")
        self.assertEqual(self.rig.sh(f"cat {CONFIGURATION} {KEY} | sha256sum"), before)
        self.assertEqual(len(self.lines("scangate journal list --json --limit 1000")), admitted, "the journal is as it was")
        self.rest()
        self.rig.sh("systemctl stop venue")
        ask(self.rig, "apt purge -y scangate", 300)
        self.assertEqual(self.rig.sh(f"ls -d /etc/scangate /var/lib/scangate {kept} 2>/dev/null", check=False), "")


@release
class Bare(case.RigCase):
    """A guest that never had the package, nor a state of it."""

    @classmethod
    def share(cls, _):
        if case.deb is None or not case.deb.exists():
            raise unittest.SkipTest(f"there is no {case.deb}")
        made = built()
        with disk(case.deb, beside=dependencies.lacking(case.deb, dependencies.root_folder(FOLDER), FOLDER)) as image:
            cls.rig = Rig.resume(made["kernel"], made["disk"], made["bare"], image)
        cls.addClassCleanup(cls.rig.close)

    def test_bare_guest_takes_the_package(self):
        serve(self.rig)
        said = ask(self.rig, "apt update && apt install -y scangate", 400)
        self.assertIn(f"{ADDRESS} stable", said)
        self.assertNotRegex(said, "(?m)^[EW]:")
        self.assertEqual(self.rig.sh("dpkg-query -W -f '${Version}' scangate"), version(case.deb))
        self.assertEqual(self.rig.unit(HOLDER, "ActiveState"), "active")
        facts = json.loads(ask(self.rig, "scangate version --json"))
        self.assertEqual(facts["architecture"], TARGET.name)
