"""Memberships at the gates of a station: a pass is checked at its subscription service, opens once in an interval, and is no ticket; nor is a ticket a pass."""

import re

import place
from sets import release
from test_offline import FOLDER, GATES, LISTS, OUTPUTS, TIMES, VerdictCase
from venue import AS_GATE, SCANGATE, URL

#: The access token of the service, the public keys of passes, and the key that signs them, which the office has and no station.
TOKEN, KEYS, SIGNER = f"{FOLDER}/venue.token", f"{FOLDER}/pass-keys.txt", f"{FOLDER}/pass.key"
#: Where the office's commands look whether they are at a station.
OFFICE = f"{FOLDER}/office"
#: A printed ticket, of a hall that sells tickets as well.
TICKET = "TICKET0FOR0THE0DOOR0OF0THE0RIG01"
NO_TICKETS, ONE_TICKET = "code,kind,status\n", f"code,kind,status\n{TICKET},entry,paid\n"

MEMBERS = f"""
  members:
    type: subscriptions
    url: "{URL}/api/v1"
    allowPlainHTTP: true
    accessToken: ftc
    passes: {{keys: {KEYS}}}
    interval: 1 min"""
TICKETS = f"""
  tickets: {{type: eventschedule, url: "{URL}", allowPlainHTTP: true, apiKeyFile: {FOLDER}/venue.key, rate: {{limit: 10000}}}}"""
LINES = {reader: f"{{type: serial, match: {{path: /run/rig/{reader}}}}}" for reader in GATES}

if place.NATIVE:
    KEYBOARDS = LINES
else:
    from test_gate import LEFT, LEFT_MATCH, RIGHT, RIGHT_MATCH
    KEYBOARDS = {"left": f"{{type: wedge, match: {LEFT_MATCH}}}", "right": f"{{type: wedge, match: {RIGHT_MATCH}}}"}


def configuration(systems, north, south, readers):
    """Two gates: each is told its ticket system, and what it takes of that."""
    def gate(name, reader, keys):
        return f"""
  {name}:
    readers: [{reader}]
    holdOff: 0 s{TIMES}
    {keys}
    {OUTPUTS[name]}"""

    return f"""
version: 1
station: {{name: rig}}
ticketSystems:{systems}
readers:
  left: {readers["left"]}
  right: {readers["right"]}
gates:{gate("north", "left", north)}{gate("south", "right", south)}
"""


class MemberCase(VerdictCase):
    """A subscription service with a shop, an office that makes passes, and a station with two gates."""

    def open_service(self, sold=NO_TICKETS):
        """The service and the office; there is no station yet. A file's text says what tickets were sold besides."""
        self.open_venue(sold, "--subscriptions", "real", "--access-token-file", TOKEN)
        self.rig.put(re.search(r"^key .+$", self.office(f"keygen {SIGNER}"), re.M)[0] + "\n", KEYS)
        self.command(f"credential set ftc --file {TOKEN}")

    def office(self, words):
        """What `membership pass` says, where no station is."""
        return self.rig.sh(f"STATE_DIRECTORY={OFFICE} {AS_GATE} {SCANGATE} membership pass {words}", timeout=120)

    def issue(self, member, signer=SIGNER):
        """A pass for a subscription."""
        return re.search(r"^SCANPASS1:\S+$", self.office(f"issue {member} --key {signer}"), re.M)[0]

    def sell(self, words):
        """Sells a subscription; returns its id, and a pass for it."""
        member = re.search(r"^\d{8,20}$", self.venue.subscription(f"add {words}"), re.M)[0]
        return member, self.issue(member)


class Turnstile(MemberCase):
    """`north` is the turnstile of a lounge for premium members, and `south` that of a reading room for all of them, in an outage too."""

    @release
    def test_passes_from_the_first_admission_to_the_token_that_is_revoked(self):
        self.open_service()
        _, lounger = self.sell("--tier premium")
        _, reader = self.sell("--tier standard")
        _, ended = self.sell("--tier premium --expires -1h --final")
        renewing, renewed = self.sell("--tier premium")
        _, stranger = self.sell("--tier premium")
        self.begin(configuration(MEMBERS, "ticketSystem: members\n    ticket: {tiers: [premium]}", f"ticketSystem: members\n    {LISTS}", LINES))

        self.show("left", lounger, "admit", kind="premium", decided_by="server", provisional=False)
        for turnstile in GATES:
            self.show(turnstile, lounger, "refuse", "tooSoon", decided_by="ledger", first_used_gate="north")
        self.assert_asked("a pass that is handed back asks nobody", checks=1, refreshes=0)

        self.show("left", reader, "refuse", "wrongKind", decided_by="server")
        self.show("left", ended, "refuse", "expired", decided_by="server")
        self.assert_asked("what does not renew itself is not refreshed", checks=3, refreshes=0)

        # At the shop alone: the service learns of it as it is asked to look.
        self.venue.subscription(f"expire --at -5min {renewing}")
        self.venue.subscription(f"renew {renewing}")
        self.show("left", renewed, "admit", kind="premium", decided_by="server", provisional=False)
        self.assert_asked("a renewal takes one refresh, and a question before and after it", checks=5, refreshes=1)

        # Whom the service vouched for today passes in an outage, at a gate that takes them.
        self.venue.cut("dropped")
        scan = self.show("right", stranger, "undecided", "unreachable", provisional=False)
        self.assertIn("does not name the ticket", scan["detail"])
        self.show("right", reader, "admit", kind="standard", decided_by="list", provisional=True)
        self.show("right", reader, "refuse", "tooSoon", decided_by="ledger", first_used_gate="south")
        self.assertEqual(self.of("ticketSystem")[-1]["state"], "offline")
        self.venue.mend()
        self.drained()
        outbox = self.outbox()
        self.assertEqual((self.of("conflict"), outbox["waiting"], outbox["conflicts"]), ([], 0, 0), "a check afterwards confirms the admission")

        self.venue.subscription("token --revoke")
        for turnstile in ("right", "left"):
            self.show(turnstile, stranger, "undecided", "keyRefused", provisional=False)
        self.until_gates("fault", "keyRefused")
        self.venue.subscription(f"token --file {TOKEN}")
        self.show("left", stranger, "admit", kind="premium", decided_by="server", provisional=False)
        self.until_gates("ready")


class TwoKinds(MemberCase):
    """`north` is the turnstile of the members, and `south` the door for those with a ticket. In the guest passes and tickets are typed, on real keyboards."""

    SLOTS = {"left": 0, "right": 1}

    def plug(self, number):
        if place.NATIVE:
            super().plug(number)
        else:
            for reader, scanner in (("left", LEFT), ("right", RIGHT)):
                self.rig.plug(self.SLOTS[reader], **scanner)

    def send(self, codes):
        if place.NATIVE:
            super().send(codes)
        else:
            for reader, code in codes.items():
                self.rig.type(self.SLOTS[reader], code, gap_us=12000)  # a pass is long, and the kernel keeps few keys of it

    @release
    def test_each_gate_refuses_the_codes_of_the_other_unasked(self):
        self.open_service(ONE_TICKET)
        member, own = self.sell("--tier premium")
        self.office(f"keygen {FOLDER}/forger.key")
        forged = self.issue(member, f"{FOLDER}/forger.key")
        self.begin(configuration(MEMBERS + TICKETS, "ticketSystem: members", "ticketSystem: tickets", KEYBOARDS))

        for reader, code, reason in [
                ("right", own, "unreadable"), ("right", member, "unreadable"),
                ("left", TICKET, "unreadable"), ("left", member, "notGenuine"), ("left", forged, "notGenuine")]:
            self.show(reader, code, "refuse", reason, decided_by="station")
        self.assert_asked("nobody is asked for the other gate's codes, nor for what nobody has signed", checks=0, refreshes=0, scans=0, all=0)
        self.assertEqual(self.venue.book(), [], "no ticket was spent")

        self.show("left", own, "admit", kind="premium", decided_by="server")
        self.show("right", TICKET, "admit", decided_by="server")
        self.assert_asked("each at its own gate by one request", checks=1, refreshes=0, scans=2)
        self.assertEqual([entry["code"] for entry in self.venue.book()], [TICKET])
