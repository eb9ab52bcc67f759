"""apt takes the package from a signed repository, over HTTP: installed, updated while people pass, taken back, removed and purged."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import case
import payload
from rig import FOLDER, MS, Rig, built
from service import CONFIGURATION, GATEWAY, HOLDER, KEY, ServiceCase
from sets import release
from stages import cache, dependencies, host
from stages.host import run
from test_update import CODES, JOURNAL, Update, later

REPOSITORY = "/var/tmp/repository"
ADDRESS = "http://127.0.0.1:8888"
ROOT = Path(__file__).resolve().parent.parent.parent
APT = "DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Languages=none"


def apt_packages():
    """apt, which the bare guest is made without, and what it needs there."""
    status = dependencies.root_folder(FOLDER) / "root.status"
    said = run("apt-get", "-o", f"Dir::State::status={status}", "-o", "APT::Architecture=amd64", "--no-install-recommends", "-s", "install", "apt", "gpgv")
    wanted = dict(re.findall(r"^Inst (\S+) \((\S+) ", said, re.M))
    store = cache.Cache(FOLDER)
    with store.lock():
        return sorted(store.stage("apt", [f"{name} {version}" for name, version in wanted.items()], lambda into: host.download(wanted, into)).glob("*.deb"))


def repository(folder, *debs):
    """A repository in `folder`, signed by a key made for it; and another's key, beside it."""
    home = folder / "gpg"
    home.mkdir(mode=0o700)
    environment = os.environ | {"GNUPGHOME": str(home), "RELEASE_URL": ADDRESS, "RELEASE_KEY": "maker"}
    for name in ("maker", "stranger"):
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "1d", env=environment)
    run(ROOT / "scripts/repository", folder / "apt", *debs, env=environment)
    run("gpg", "--batch", "--armor", "--output", folder / "apt/stranger.asc", "--export", "stranger", env=environment)
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], env=environment, check=False)


def bring(rig, *debs):
    """Brings a repository with these packages into the guest, which serves it, and apt, which fetches from it."""
    with tempfile.TemporaryDirectory(prefix="rig.apt.") as place:
        folder = Path(place)
        repository(folder, *debs)
        system = folder / "system"
        system.mkdir()
        for deb in apt_packages():
            shutil.copy(deb, system)
        shutil.copy("/bin/busybox", folder / "busybox")
        run("tar", "-C", folder, "-cf", folder / "all.tar", "apt", "system", "busybox")
        rig.put((folder / "all.tar").read_bytes(), "/var/tmp/all.tar")
    rig.sh(f"""mkdir -p {REPOSITORY} && tar -C {REPOSITORY} -xf /var/tmp/all.tar && rm /var/tmp/all.tar
        dpkg -i {REPOSITORY}/system/*.deb 2>&1
        rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*  # Debian's cannot be reached from here
        install -D -m 644 {REPOSITORY}/apt/scangate.asc /etc/apt/keyrings/scangate.asc
        install -D -m 644 {REPOSITORY}/apt/scangate.sources /etc/apt/sources.list.d/scangate.sources
        systemd-run -q --unit=archive {REPOSITORY}/busybox httpd -f -p 127.0.0.1:8888 -h {REPOSITORY}/apt""", timeout=300)
    rig.wait_until("port 127.0.0.1 8888", timeout=150)


def version(deb):
    return run("dpkg-deb", "-f", deb, "Version").strip()


@release
class Repository(ServiceCase):
    """Each test goes on where the one before has ended."""

    configured = staticmethod(Update.configured)
    people_pass, lines, outbox, assert_books_agree = Update.people_pass, Update.lines, Update.outbox, Update.assert_books_agree

    @classmethod
    def start(cls):
        rig = super().start()
        rig.sh("systemctl stop venue; rm /run/venue/venue.db*")
        cls.serve_tickets(rig, codes=CODES, kind="sale")
        with tempfile.TemporaryDirectory(prefix="rig.update.") as folder:
            former, new = (case.former, case.deb) if case.former else (case.deb, later(case.deb, folder))
            fresh = Path(folder, f"scangate_{version(new)}_amd64.deb")
            shutil.copy(new, fresh)
            cls.former, cls.new = version(former), version(new)
            bring(rig, former, fresh)
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
        installing = self.rig.machine.start(f"{APT} -y {options} install scangate={wanted} 2>&1")
        self.people_pass(installing, then=1)
        status, said = installing.result(0)
        self.assertEqual(status, 0, said.decode(errors="replace"))
        self.rest()
        self.assertEqual(self.installed(), wanted)
        self.assertNotEqual(self.rig.main_pid(GATEWAY), pid, "the gateway was not started again")
        for queue in self.queues:
            opened = [pulse.at for pulse in self.rig.pulses(queue._line, since)]
            gaps = [(after - before) / MS / 1000 for before, after in zip(opened, opened[1:])]
            print(f"        {queue.gate}: {len(opened)} persons while {wanted} was put in, at most {max(gaps, default=0):.1f} s between two, {min(gaps, default=0):.1f} s at least")
        # From systemd's word that the former one ended to the new one's that it is ready, by the guest's own clock.
        stopped = int(self.rig.unit(GATEWAY, "InactiveEnterTimestampMonotonic"))
        ready = int(self.rig.unit(GATEWAY, "ActiveEnterTimestampMonotonic"))
        print(f"        the gateway was away for {(ready - stopped) / 1e6:.1f} s, on an emulated processor")
        self.assertGreater(ready, stopped)

    def test_1_another_signature_is_refused(self):
        for wrong in (f"cp {REPOSITORY}/apt/stranger.asc /etc/apt/keyrings/scangate.asc", f"sed -i s/Label:/Labels:/ {REPOSITORY}/apt/dists/stable/InRelease"):
            self.rig.sh(f"cp {REPOSITORY}/apt/dists/stable/InRelease /var/tmp/InRelease; {wrong}")
            said = self.rig.sh(f"{APT} update 2>&1; apt-cache policy scangate", timeout=120, check=False)
            self.rig.sh(f"cp /var/tmp/InRelease {REPOSITORY}/apt/dists/stable/; cp {REPOSITORY}/apt/scangate.asc /etc/apt/keyrings/")
            self.assertRegex(said, "NO_PUBKEY|BADSIG|invalid")
            self.assertNotIn(self.new if self.new != self.installed() else ADDRESS + " stable/main", said)

    def test_2_updated_while_people_pass_and_taken_back(self):
        said = self.rig.sh(f"{APT} update 2>&1", timeout=120)
        self.assertNotRegex(said, "(?m)^[EW]:")
        self.assertEqual(self.installed(), self.former)
        self.people_pass(then=1)
        self.put_in(self.new)
        self.put_in(self.former, "--allow-downgrades")
        self.assert_books_agree()

    def test_3_removed_installed_again_and_purged(self):
        kept = f"{CONFIGURATION} {KEY} {JOURNAL}"
        before = self.rig.sh(f"cat {CONFIGURATION} {KEY} | sha256sum")
        admitted = len(self.lines("scangate journal list --json --limit 1000"))
        self.rig.sh(f"{APT} -y remove scangate 2>&1", timeout=300)
        self.rig.sh(f"ls {kept}; ! ls /usr/bin/scangate 2>/dev/null")
        self.assertEqual(self.rig.unit(GATEWAY, "LoadState"), "masked")
        said = self.rig.sh(f"{APT} -y install scangate 2>&1", timeout=300)
        self.assertIn(self.new, said)
        self.assertEqual(self.rig.sh(f"cat {CONFIGURATION} {KEY} | sha256sum"), before)
        self.assertEqual(len(self.lines("scangate journal list --json --limit 1000")), admitted, "the journal is as it was")
        self.rest()
        self.rig.sh("systemctl stop venue")
        self.rig.sh(f"{APT} -y purge scangate 2>&1", timeout=300)
        self.assertEqual(self.rig.sh(f"ls -d /etc/scangate /var/lib/scangate {kept} 2>/dev/null", check=False), "")


@release
class Bare(case.RigCase):
    """A guest that never had the package, nor a state of it."""

    @classmethod
    def share(cls, _):
        made = built()
        cls.rig = Rig.resume(made["kernel"], made["disk"], made["bare"], payload.of_package(case.deb, FOLDER))
        cls.addClassCleanup(cls.rig.close)

    def test_bare_guest_takes_the_package(self):
        if others := self.rig.sh("ls /payload/debs/*.deb | grep -v /scangate_", check=False).split():
            self.rig.sh(f"dpkg -i {' '.join(others)} 2>&1", timeout=300)
        bring(self.rig, case.deb)
        said = self.rig.sh(f"{APT} update 2>&1 && {APT} -y install scangate 2>&1", timeout=400)
        self.assertIn(f"{ADDRESS} stable", said)
        self.assertNotRegex(said, "(?m)^[EW]:")
        self.assertEqual(self.rig.sh("dpkg-query -W -f '${Version}' scangate"), version(case.deb))
        self.assertEqual(self.rig.unit(HOLDER, "ActiveState"), "active")
        facts = json.loads(self.rig.sh("scangate version --json"))
        self.assertEqual(facts["architecture"], "amd64")
