"""Signed tickets at two doors: each is redeemed once, and while the server is away its signature and the station's own book decide."""

import place
from place import natively
from rig import PATIENCE
from sets import release
from test_offline import FOLDER, GATES, OUTPUTS, QUEUES, TIMES, VerdictCase
from venue import URL

#: The file with the token that may redeem, and whose tickets the venue signs where nobody says otherwise.
TOKEN, ORGANISATION = f"{FOLDER}/redeem.token", "00000000-0000-0000-0000-000000000001"


def configuration():
    """Two doors of one house."""
    def gate(name, reader):
        return f"""
  {name}:
    readers: [{reader}]
    ticketSystem: theatre
    ticket: {{performances: [night]}}
    holdOff: 0 s{TIMES}
    {QUEUES}
    {OUTPUTS[name]}"""

    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  theatre:
    type: signedTickets
    url: "{URL}"
    allowPlainHTTP: true
    org: {ORGANISATION}
    token: theatre-redeem
readers:
  left: {{type: serial, match: {{path: /run/rig/left}}}}
  right: {{type: serial, match: {{path: /run/rig/right}}}}
gates:{gate("north", "left")}{gate("south", "right")}
"""


def forged(ticket, other):
    """A ticket with the signature of another one."""
    parts = ticket.split(".")
    return ".".join([*parts[:3], other.split(".")[3], parts[4]])


class SignedCase(VerdictCase):
    """A server that signs and redeems tickets as the real one does, and a station at both doors of the house."""

    def open_doors(self):
        self.open_venue("code,kind,status\n", "--signed-tickets", "--ticket-token-file", TOKEN)
        self.command(f"credential set theatre-redeem --file {TOKEN}")
        self.begin(configuration())

    def issue(self, performance="night", options=""):
        """Signs a ticket; returns its code."""
        return self.venue.signed_ticket(f"issue --performance {performance} {options}").strip()

    def redeemed(self):
        """How many tickets the server has redeemed."""
        return sum(ticket["redeemed"] is not None for ticket in self.venue.signed_tickets())

    def kill(self):
        """Ends the station at once."""
        self.rig.kill(self.service.pid)
        self.service.started.result(PATIENCE)

    def restart(self):
        """Starts the station again, whose server may be away: until both gates have said what they are."""
        self.run_gateway()
        self.rig.until(lambda: self.alive() and {event["gate"] for event in self.of("gate")} == set(GATES.values()), what="both gates say what they are")

    def show_forgeries(self, genuine, other):
        """What nobody has signed opens nothing, and says so without a request."""
        for reader in GATES:
            self.assertIn("has not signed it", self.show(reader, forged(genuine, other), "refuse", "notGenuine", event_id=None)["detail"])


class Doors(SignedCase):
    """A ticket is one person's, whichever door it is shown at."""

    @release
    def test_ticket_admits_once_and_what_is_forged_or_foreign_not_at_all(self):
        self.open_doors()
        ticket, other = self.issue(), self.issue()
        self.show_forgeries(ticket, other)
        self.assertIn("matinee", self.show("left", self.issue("matinee"), "refuse", "wrongEvent", event_id="matinee")["detail"])
        self.assertIn("elsewhere", self.show("left", self.issue(options="--org elsewhere"), "refuse", "wrongEvent")["detail"])
        self.show("left", self.issue(options="--expires -5min"), "refuse", "expired", event_id="night")
        self.assertEqual(self.redeemed(), 0, "nothing of that was asked about")

        self.show("left", ticket, "admit", provisional=False)
        self.show("right", ticket, "refuse", "alreadyUsed", first_used_gate="north")
        self.show("right", other, "admit", provisional=False)
        self.assertEqual(self.redeemed(), 2)


class Outage(SignedCase):
    """The server is away: a ticket passes by its signature, once, also at a station that was killed meanwhile."""

    def goes(self, way):
        self.open_doors()
        before, during, later, never = (self.issue() for _ in range(4))
        self.show("left", before, "admit", provisional=False)
        self.venue.cut(way)
        self.show("left", during, "admit", provisional=True, decided_by="policy")
        self.kill()
        # The keys are on board, and so is who has passed.
        self.restart()
        for ticket in (before, during):
            self.show("right", ticket, "refuse", "alreadyUsed", first_used_gate="north")
        self.show_forgeries(never, later)
        self.show("right", later, "admit", provisional=True, decided_by="policy")
        self.show("left", later, "refuse", "alreadyUsed", first_used_gate="south")
        self.venue.mend()
        self.drained()
        self.assertEqual(self.redeemed(), 3, "each that has passed is told of, once")
        self.assertEqual(self.outbox()["conflicts"], 0)

    @natively
    def test_connections_that_are_refused(self):
        self.goes("refused")

    @release
    def test_packets_that_vanish(self):
        self.goes("dropped")
