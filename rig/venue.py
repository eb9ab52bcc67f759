"""A ticket system and kiosk service beside the gates, and the ways in which the network between it and them goes."""

import json
import re
import time

import place
from rig import MachineError

#: What a gate's configuration names; the address is one that can go.
NAME, ADDRESS, PORT = "venue.rig", "192.0.2.1", 8080
URL = f"http://{NAME}:{PORT}"
#: A server that nobody trusts, at an address of our own: whoever spoke to it would have an answer, for the venue listens there, too.
EVIL, EVIL_ADDRESS = "evil.rig", "192.0.2.66"
SCANGATE = place.PROGRAM
AS_GATE = "setpriv --reuid=gate --regid=gate --init-groups"


class GuestNetwork:
    """The guest's addresses and the venue's process: no kernel module is needed for any of it."""

    ADD, REMOVE = "address add {}", "address remove {}"
    #: How long silence must last to be silence, in seconds.
    SILENCE = 2

    def __init__(self, rig):
        self._rig = rig

    def serve(self, command):
        """Starts the venue."""
        self._rig.sh(f"systemd-run -q --unit=venue --uid=gate {command}")

    def stop(self):
        """Ends the venue in order."""
        self._rig.sh("systemctl stop venue 2> /dev/null; systemctl reset-failed venue 2> /dev/null; true")

    def drop(self):
        """The kernel drops what comes to the server and what it sends, without a word: connections neither open nor end."""
        self._rig.sh("systemctl set-property --runtime venue IPAddressDeny=any")

    def pass_on(self):
        """Ends that."""
        self._rig.sh("systemctl set-property --runtime venue IPAddressDeny=")


class NativeNetwork:
    """The same in the namespaces of a test."""

    ADD, REMOVE = "ip address replace {}/32 dev lo", "ip address delete {}/32 dev lo"
    SILENCE = 0.5
    #: Dropped as it comes in: who sends is told nothing.
    RULES = (f"table inet cut {{ chain input {{ type filter hook input priority 0; "
             f"tcp dport {PORT} drop; tcp sport {PORT} drop; }}; }}")

    def __init__(self, rig):
        self._rig, self._server = rig, None

    def serve(self, command):
        self._server = self._rig.spawn("venue", command, user="gate")

    def stop(self):
        if self._server:
            self._server.stop()

    def drop(self):
        self._rig.sh(f"nft -f - <<< '{self.RULES}'")

    def pass_on(self):
        self._rig.sh("nft delete table inet cut")


class Venue:
    """Serves from files in `folder`; `key` and `tickets` are there."""

    #: Every way to cut the network off, and what the gates then may say is the cause. Where packets vanish, that depends on whether
    #: a connection was there already.
    CUTS = {"dropped": {"timeOut", "noConnection"}, "refused": {"noConnection"}, "unreachable": {"noConnection"}, "nameless": {"noAddress"}}

    def __init__(self, rig, folder):
        self._rig, self._folder = rig, folder
        self.key, self.tickets, self._control = f"{folder}/venue.key", f"{folder}/tickets.csv", f"{folder}/venue.sock"
        self._cut, self._options = None, ()
        self._network = NativeNetwork(rig) if place.NATIVE else GuestNetwork(rig)
        rig.sh(f"{self._network.ADD.format(ADDRESS)}; sed -i /{NAME}/d /etc/hosts; echo {ADDRESS} {NAME} >> /etc/hosts")

    def tempt(self):
        """Makes it reachable by the name of a server that nobody trusts."""
        self._rig.sh(f"{self._network.ADD.format(EVIL_ADDRESS)}; sed -i /{EVIL}/d /etc/hosts; echo {EVIL_ADDRESS} {EVIL} >> /etc/hosts")

    # The server

    def start(self, *options, limits="--no-limits"):
        """Serves what was served before, or the tickets of a file: `--import FILE`; without the limits of real servers unless these are wanted (`limits=""`)."""
        # A file and a seed are taken once; what the server is, it is from then on.
        if options:
            self._options = [option for option in (options[2:] if options[0] == "--import" else options) if option != "--seed"]
        else:
            options = self._options
        self._network.serve(f"{SCANGATE} venue serve --listen 0.0.0.0:{PORT} --control {self._control} "
                            f"--database {self._folder}/venue.db --api-key-file {self.key} {limits} {' '.join(options)}")
        self._rig.wait_for(f": < /dev/tcp/127.0.0.1/{PORT}", 120)

    def stop(self):
        """Ends it in order: its connections, too. What it has recorded stays."""
        self._network.stop()

    def _command(self, words):
        return self._rig.sh(f"{AS_GATE} {SCANGATE} venue {words}", timeout=120)

    def misbehave(self, *texts):
        """What it does wrong from now on; nothing if nothing is named."""
        self._command(f"misbehave --control {self._control} --clear {' '.join(texts)}")

    def refund(self, code):
        self._command(f"ticket --control {self._control} --status refunded {code}")

    def book(self):
        """Every entry that it has recorded, with the whole code."""
        return [json.loads(line) for line in self._command(f"book --control {self._control} --json --full").splitlines()]

    # What it is asked

    #: Kinds of requests that are counted apart: reading one subscription or looking at one booking, refreshing a subscription, a door's list of bookings,
    #: whatever a gate asks at a scan, and every request.
    COUNTED = ("checks", "refreshes", "lists", "scans", "all")

    def count(self, *texts):
        """Begins to count what it is asked: by pauses that take no time, before what it does wrong from now on."""
        self.misbehave(*(f"latency=0ms,on={kind}" for kind in self.COUNTED), *texts)

    def counted(self):
        """How much it was asked since, by kind."""
        said = self._command(f"misbehave --control {self._control}")
        hits = [int(number) for number in re.findall(r"\(hits: (\d+)", said)]
        return dict(zip(self.COUNTED, hits[:len(self.COUNTED)], strict=True))

    def subscription(self, words):
        """What is done at its shop or about its access tokens, as `venue subscription` has it; what it says."""
        return self._command(f"subscription {words} --control {self._control}")

    def booking(self, words):
        """What is done at its theatre, as `venue booking` has it; what it says."""
        return self._command(f"booking {words} --control {self._control}")

    def shows(self):
        """The shows of its theatre, and of which venue."""
        return [json.loads(line) for line in self.booking("show shows").splitlines()]

    def signed_ticket(self, words):
        """What is done about signed tickets, as `venue signed-ticket` has it; what it says."""
        return self._command(f"signed-ticket {words} --control {self._control}")

    def signed_tickets(self):
        """Every signed ticket, and when it was redeemed; without their codes."""
        return [json.loads(line) for line in self.signed_ticket("list").splitlines()]

    # Stations that it sets up

    def activation_code(self):
        """A fresh activation code, as it is."""
        return re.search(r"\b[0-9A-F]{8}\b", self._command(f"activation-code --control {self._control}"))[0]

    def enrolment(self, gate):
        """A fresh secret for an enrolment and what belongs to it, as `enrol-code` reads it."""
        return self._command(f"enrolment --control {self._control} --gate {gate}").strip()

    def kiosks(self):
        """What it knows of the stations that were activated or registered."""
        return [json.loads(line) for line in self._command(f"kiosk list --control {self._control}").splitlines()]

    def kiosk_requests(self):
        """What stations have asked it for since it was started: (method, path, status)."""
        lines = self._command(f"kiosk log --control {self._control} --json").splitlines()
        return [(request["method"], request["path"], request["status"]) for request in map(json.loads, lines)]

    def set_kiosk_state(self, state):
        """Says how the one station is to be: active, inactive or maintenance."""
        (kiosk,) = self.kiosks()
        self._command(f"kiosk state --control {self._control} {kiosk['id']} {state}")

    def revoke_tokens(self):
        """Accepts the token of the one station no more."""
        (kiosk,) = self.kiosks()
        self._command(f"kiosk revoke --control {self._control} {kiosk['id']}")

    # The network

    def cut(self, way):
        """Takes the network away in one of the `CUTS`, and makes sure of it."""
        assert self._cut is None and way in self.CUTS
        self._cut = way
        if way == "dropped":
            self._network.drop()
        else:
            self.stop()
        if way == "unreachable":
            self._rig.sh(self._network.REMOVE.format(ADDRESS))
        if way == "nameless":
            # It serves again, at once: with its connections gone, it has to be found by its name.
            self._rig.sh(f"sed -i /{NAME}/d /etc/hosts")
            self.start()
        found = self._rig.sh(f"timeout {self._network.SILENCE} bash -c ': < /dev/tcp/{NAME}/{PORT}' 2>&1; echo $?", check=False)
        words = {"dropped": "124", "refused": "refused", "unreachable": "unreachable", "nameless": "not known|failure in name"}[way]
        if not any(word in found for word in words.split("|")):
            raise MachineError(f"the network was to be {way}, but: {found}")

    def drop(self):
        """Cuts as `dropped` does, without trying whether it is so: open connections stay fresh."""
        self._cut = "dropped"
        self._network.drop()

    def mend(self):
        """Gives the network back, as it was."""
        way, self._cut = self._cut, None
        if way == "dropped":
            self._network.pass_on()
        if way == "unreachable":
            self._rig.sh(self._network.ADD.format(ADDRESS))
        if way == "nameless":
            self._rig.sh(f"echo {ADDRESS} {NAME} >> /etc/hosts")
        if way in ("refused", "unreachable"):
            self.start()
        self._rig.wait_for(f": < /dev/tcp/{NAME}/{PORT}")

    def clear(self):
        """Leaves nothing behind; natively everything goes with the test."""
        if place.NATIVE:
            return
        self.stop()
        remove = self._network.REMOVE.format("$gone")
        self._rig.sh(f"for gone in {ADDRESS} {EVIL_ADDRESS}; do {remove} 2> /dev/null; done; sed -i '/{NAME}/d; /{EVIL}/d' /etc/hosts")


#: A station as a service may call it.
KIOSK = "0b7f6a52-4f0f-4a52-9d0d-1b1c2e3d4f5a"


def code_document(code, server=f"{NAME}:{PORT}"):
    """An activation code in the JSON that admin pages show as QR code; good for an hour."""
    return json.dumps({"type": "kiosk_activation", "code": code, "server": server, "timestamp": int(time.time() * 1000)})


def code_with_end(code, minutes=60):
    """The other JSON, which names no server and says when it ends."""
    end = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 60 * minutes))
    return json.dumps({"type": "kiosk_activation", "id": KIOSK, "code": code, "expires": end})


def code_link(code, server=f"http://{NAME}:{PORT}"):
    """The link."""
    return f"{server}/activate?kioskId={KIOSK}&code={code}"
