"""A real MQTT broker (mosquitto) with TLS and passwords beside a station, and whoever else is at it (mosquitto_sub, mosquitto_pub)."""

import io
import json
import os
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections import namedtuple
from pathlib import Path

import certificates
import payload
import place
from rig import PATIENCE

NAME, ADDRESS, PORT = "broker.rig", "192.0.2.7", 8883
FOLDER = "/run/broker"
#: The bridge, and whoever else is at the broker.
BRIDGE, WATCHER = "station", "watcher"
PASSWORDS = {BRIDGE: "password-of-the-station-7c1e", WATCHER: "password-of-the-watcher-93ab"}
#: This machine's programs.
PROGRAMS = ["mosquitto", "mosquitto_sub", "mosquitto_pub"]

CONFIGURATION = f"""\
listener {PORT} 0.0.0.0
cafile {FOLDER}/ca.pem
certfile {FOLDER}/broker.pem
keyfile {FOLDER}/broker-key.pem
tls_version tlsv1.2
allow_anonymous false
password_file {FOLDER}/passwords
persistence {{persistence}}
persistence_location {FOLDER}/
autosave_interval 1
user root
log_dest stderr
log_type error
log_type warning
log_type notice
log_type subscribe
connection_messages true
"""

#: A message as somebody at the broker had it: `retained` says that the broker had kept it.
Message = namedtuple("Message", "topic payload retained")


def carried(rig):
    """This machine's programs of the broker, with the libraries that they need, brought into the guest; how each is started there."""
    started = {name: f"env LD_LIBRARY_PATH={FOLDER}/lib {FOLDER}/bin/{name}" for name in PROGRAMS}
    if rig.ok(f"[ -e {FOLDER}/bin ]"):
        return started
    files, packed = {}, io.BytesIO()
    for name in PROGRAMS:
        program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        files[f"bin/{name}"] = program
        files |= {f"lib/{library}": path for library, path in payload.libraries(program).items()}
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, path in files.items():
            archive.add(Path(path).resolve(), name)
    rig.put(packed.getvalue(), f"{FOLDER}/programs.tar")
    rig.sh(f"tar -C {FOLDER} -xf {FOLDER}/programs.tar; rm {FOLDER}/programs.tar")
    return started


class Broker:
    """The broker's process, in the network of a test. Somebody who hears everything is at it from the beginning."""

    def __init__(self, rig):
        self._rig, self.runs, self._commands, self._watchers = rig, 0, 0, []
        rig.known.add("broker's password", *PASSWORDS.values())
        add = "ip address replace {}/32 dev lo" if place.NATIVE else "address add {}"
        rig.sh(f"{add.format(ADDRESS)}; sed -i /{NAME}/d /etc/hosts; echo {ADDRESS} {NAME} >> /etc/hosts; install -d -m 755 {FOLDER}")
        self._programs = {name: name for name in PROGRAMS} if place.NATIVE else carried(rig)
        with tempfile.TemporaryDirectory() as folder:
            certificates.make(folder, "broker", NAME)
            for name in ("ca.pem", "broker.pem", "broker-key.pem"):
                rig.put((Path(folder) / name).read_bytes(), f"{FOLDER}/{name}")
            passwords = Path(folder, "passwords")
            passwords.touch(mode=0o600)
            for user, password in PASSWORDS.items():
                subprocess.run(["mosquitto_passwd", "-b", passwords, user, password], check=True, capture_output=True)
            rig.put(passwords.read_bytes(), f"{FOLDER}/passwords")
        self.process = None

    @property
    def ca(self):
        return f"{FOLDER}/ca.pem"

    def start(self, keeps=False):
        """Starts it, with what it kept before (`keeps`) or with nothing; returns when it has somebody who hears everything."""
        self.runs += 1
        self._rig.put(CONFIGURATION.format(persistence="true" if keeps else "false"), f"{FOLDER}/mosquitto.conf")
        self.process = self._rig.spawn(f"mosquitto-{self.runs}", f"{self._programs['mosquitto']} -c {FOLDER}/mosquitto.conf")
        self._rig.wait_for(f": < /dev/tcp/{ADDRESS}/{PORT}")
        # One for each run: it ends with the broker.
        name = f"{WATCHER}-{self.runs}"
        self._watchers.append(self._rig.spawn(name, f"{self._programs['mosquitto_sub']} {self._client(name)} -q 1 -t '#' -F %j"))
        self._rig.until(lambda: f"{name} 1 #" in self.log(), what=f"a watcher at the broker:\n{self.log()}")

    def stop(self):
        """Ends it in order: it tells nobody's last will."""
        self.process.stop()

    def kill(self):
        self._rig.kill(self.process.pid)
        self.process.started.result(PATIENCE)

    def log(self):
        return self.process.log()

    def _client(self, name):
        return f"-h {NAME} -p {PORT} --cafile {FOLDER}/ca.pem -u {WATCHER} -P {PASSWORDS[WATCHER]} -i {name}"

    def publish(self, topic, payload, retained=False, qos=1):
        """Publishes a message; returns when the broker has it. A payload that is no text becomes JSON."""
        self._commands += 1
        text = payload if isinstance(payload, str) else json.dumps(payload)
        self._rig.put(text, f"{FOLDER}/payload")
        self._rig.sh(f"{self._programs['mosquitto_pub']} {self._client(f'giver-{self._commands}')} -q {qos} {'-r ' if retained else ''}-t {shlex.quote(topic)} "
                     f"-f {FOLDER}/payload")

    def kept(self, topic="#"):
        """What the broker keeps, by topic: as somebody who comes now is told."""
        said = self._rig.sh(f"{self._programs['mosquitto_sub']} {self._client('late')} -t {shlex.quote(topic)} --retained-only -W {1 if place.NATIVE else 10} -F %j; true")
        return {message.topic: message.payload for message in self._messages(said)}

    @staticmethod
    def _messages(said):
        for line in said.splitlines():
            if line.startswith("{"):
                told = json.loads(line)
                yield Message(told["topic"], told.get("payload", ""), bool(told.get("retain")))

    def heard(self, topic=None, since=0):
        """Every message that has come, or those of a topic, from a number on, in their order."""
        heard = [message for watcher in self._watchers for message in self._messages(watcher.log())]
        return [message for message in heard[since:] if topic in (None, message.topic)]

    def last(self, topic):
        """What was told last of a topic; None if nothing was."""
        return ([message.payload for message in self.heard(topic)] or [None])[-1]

    def json(self, topic):
        """The same, as JSON; empty where nothing was told."""
        return json.loads(self.last(topic) or "{}")

    def until(self, topic, wanted, timeout=PATIENCE):
        """Waits until the last that was told of a topic is this text, or holds these members; returns it."""
        def is_so():
            told = self.last(topic)
            if isinstance(wanted, str):
                return told == wanted and (told or True)
            return told is not None and told.startswith("{") and wanted.items() <= json.loads(told).items() and json.loads(told)

        try:
            return self._rig.until(is_so, timeout)
        except Exception as error:
            raise AssertionError(f"{topic} never told {wanted}, but {self.last(topic)}; the broker:\n{self.log()[-1500:]}") from error


def command(number, age=0.0, **what):
    """An order's payload, given so many seconds ago."""
    return {"id": number, "at": round(time.time() - age, 3), **what}
