"""What a station finds beyond its cable: a ticket system that enrols stations, a name service and a time, all of them on this machine, and nothing else.

QEMU's user network brings a guest to this machine's loopback. `alone` begins anew in namespaces of its own, where that is all there is.
"""

import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import certificates
from machine import die_with_parent

#: The ticket system's name, and this machine as a guest sees it.
NAME, HERE = "venue.example", "10.0.2.2"
#: Seconds between 1900, with which network time begins, and 1970.
SINCE_1900 = 2_208_988_800


def alone():
    """Begins anew in a network of its own, with nothing but loopback, and with a name service of its own."""
    if os.environ.get("OUTSIDE") != "1":
        os.environ["OUTSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    names = Path("/run/scangate-resolv.conf")
    names.write_text("nameserver 127.0.0.1\n")
    subprocess.run(["mount", "--bind", names, Path("/etc/resolv.conf").resolve()], check=True)


def answer_names(port=53):
    """Every name is this machine's."""
    def answer(query):
        end = query.index(b"\0", 12) + 5
        question, kind = query[12:end], struct.unpack(">H", query[end - 4:end - 2])[0]
        found = struct.pack(">HHHIH4s", 0xC00C, 1, 1, 60, 4, socket.inet_aton(HERE)) if kind == 1 else b""
        return query[:2] + struct.pack(">5H", 0x8180, 1, 1 if found else 0, 0, 0) + question + found
    _serve(port, answer)


def answer_time(port=123):
    """The time is this machine's."""
    def answer(query):
        def stamp(seconds):
            return struct.pack(">II", int(seconds) + SINCE_1900, int(seconds % 1 * (1 << 32)))
        now = time.time()
        return struct.pack(">BBbbII4s", 0x24, 1, 6, -20, 0, 0, b"LOCL") + stamp(now) + query[40:48] + stamp(now) + stamp(time.time())
    _serve(port, answer)


def _serve(port, answer):
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.bind(("127.0.0.1", port))

    def serve():
        while True:
            query, asker = listening.recvfrom(4096)
            try:
                listening.sendto(answer(query), asker)
            except (ValueError, IndexError, struct.error):
                pass  # no question

    threading.Thread(target=serve, daemon=True).start()


class Venue:
    """The ticket system; the organiser's key and the authority of its certificate lie beside it."""

    def __init__(self, program, folder, tickets):
        self.program, self.folder = program, folder
        folder.mkdir()
        certificates.make(folder, "venue", NAME)
        (folder / "tickets.csv").write_text("".join(f"{line}\n" for line in ["code,kind,status", *(f"{code},entry,paid" for code in tickets)]))
        self.trust = re.search(r"^key .*$", self._say("enrol-code", "--make-key", folder / "organiser.key"), re.M)[0]
        self.authority = (folder / "ca.pem").read_text()
        with open(folder / "log", "w") as log:
            self._server = subprocess.Popen(
                [program, "venue", "serve", "--listen", "127.0.0.1:443", "--control", folder / "sock", "--database", folder / "venue.db", "--api-key-file", folder / "key",
                 "--no-limits", "--import", folder / "tickets.csv", "--certificate", folder / "venue.pem", "--private-key", folder / "venue-key.pem",
                 "--public-url", f"https://{NAME}"], stdout=log, stderr=log, preexec_fn=die_with_parent)
        deadline = time.monotonic() + 30
        while not (folder / "sock").exists():
            assert self._server.poll() is None and time.monotonic() < deadline, f"the venue does not serve: {(folder / 'log').read_text()}"
            time.sleep(0.1)

    def _say(self, *words, text=None):
        done = subprocess.run([self.program, *words], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, f"{words} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def set_up_code(self, gate):
        """A fresh one for a gate, signed by the organiser."""
        secret = self._say("venue", "enrolment", "--control", self.folder / "sock", "--gate", gate)
        said = self._say("enrol-code", "--key", self.folder / "organiser.key", "--secret", "-", text=secret)
        return next(word for word in said.split() if word.startswith("SCANGATE1:"))

    def book(self):
        """Each entry that it has recorded, as JSON."""
        return self._say("venue", "book", "--control", self.folder / "sock", "--json", "--full").splitlines()
