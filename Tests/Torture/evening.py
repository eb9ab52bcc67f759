"""An evening: people present tickets while the gateway is killed and the power goes; and its good end."""

import time

from station import HALL, OPEN, STALLS, TURNSTILE
from tickets import MISBEHAVIOURS, SLOW


class Evening:
    def __init__(self, station, system, rights, random):
        self.station, self.system, self.rights, self.random = station, system, rights, random
        self.endings = list(rights)
        self.problems = []
        #: What each ticket was told last, at the end.
        self.last_words = {}
        #: Tickets that were shown to the wrong hall first.
        self.astray = set()

    def run(self, ends):
        self.system.misbehave(*MISBEHAVIOURS)
        for number, end in enumerate(ends):
            self.number = number
            self.station.start()
            getattr(self, f"until_{end.moment}")(end)
            self.station.end(end.is_cut)
            self.system.come_back()

    # Until the gateway's life ends

    def until_starting(self, end):
        self.present_any()
        time.sleep(self.random.uniform(0, 0.4))

    def until_whenever(self, end):
        self.station.await_reading()
        self.crowd(end, self.random.uniform(0, 0.6 if end.away == () else 1.5))

    def until_late(self, end):
        self.station.await_reading()
        self.crowd(end, self.random.uniform(2.5, 3.5))

    def until_admitted(self, end):
        """Somebody was let in this very moment."""
        self.station.await_reading()
        self.crowd(end, 5, lambda event: event["type"] == "scan" and event["verdict"] == "admit")
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.02)]))

    def until_asked(self, end):
        """A request is open, of somebody whose ticket nobody has seen yet, so that it is asked for."""
        self.station.await_reading()
        self.system.misbehave(self.random.choice(SLOW))
        slot = self.random.choice(OPEN)
        ending = self.unseen()
        self.station.present(self.rights[ending].code, self.random.choice([slot, self.hall(ending)]))
        if self.random.random() < 0.5:
            self.present_any(1 - slot)
        limit = time.monotonic() + 5
        while not self.station.has_open_request() and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, 0.2))

    def until_lost(self, end):
        """Somebody new has seen that no answer came."""
        self.station.await_reading()
        self.system.misbehave("close=after")
        ending = self.unseen()
        slots = [*OPEN, self.hall(ending)]
        if self.rights[ending].goes_astray:
            # Whether it is redeemed, and where it belongs, are two things that nobody knows then.
            slots = [self.hall(ending, is_own=False)]
        self.station.present(self.rights[ending].code, self.random.choice(slots))
        self.station.wait(lambda event: event["type"] == "scan" and event["code"].endswith(ending), 5)

    def until_astray(self, end):
        """A hall has redeemed somebody's new ticket, which is of the other one; at a cut that is on the disk, or not yet."""
        self.station.await_reading()
        self.system.misbehave()
        new = (ending for ending in self.endings[self.number + 6:] if self.rights[ending].goes_astray and ending not in self.astray)
        for ending, _ in zip(new, range(3)):
            self.astray.add(ending)
            self.station.present(self.rights[ending].code, self.hall(ending, is_own=False))
            told = self.station.wait(lambda event: event["type"] == "scan" and event["code"].endswith(ending), 5)
            # 400 ms are short where the machine has much else to do.
            if told and told["reason"] == "wrongEvent":
                break
        time.sleep(self.random.choice([0, self.random.uniform(0, 0.2), self.random.uniform(2.2, 2.5) if end.is_cut else 0]))

    def crowd(self, end, seconds, is_enough=lambda event: False):
        """People come for so long, or until an event is enough; the ticket system goes away meanwhile, and may be back before."""
        self.system.go_away(end.away)
        until = time.monotonic() + seconds
        back = time.monotonic() + self.random.uniform(0.2, 2)
        while time.monotonic() < until:
            if self.system.away != () and time.monotonic() > back:
                self.system.come_back()
            self.present_any()
            if self.random.random() < 0.3:
                self.station.present(self.random.choice([*self.system.members.values()]), TURNSTILE)
            if self.random.random() < 0.3:
                self.station.present(self.party().code, STALLS)
            if self.station.wait(is_enough, self.random.uniform(0.001, 0.06)):
                return

    def present_any(self, slot=None):
        """A few tickets come again and again, so that most have a history."""
        ending = self.random.choice(self.endings[max(0, self.number - 6):self.number + 6])
        if slot is None:
            # Now and then at the wrong hall.
            slot = self.random.choice([*OPEN, *OPEN, *HALL.values(), self.hall(ending)])
        ticket = self.rights[ending]
        self.station.present(self.random.choice([ticket.code, ticket.code, ticket.url]), slot)

    def party(self):
        """One of the few that come about now, person by person: most of them meet more than one life of the gateway."""
        parties = [*self.system.parties.values()]
        return self.random.choice(parties[self.number // 2:self.number // 2 + 4])

    def hall(self, ending, is_own=True):
        """The scanner of a ticket's own hall, or of the other one."""
        return next(slot for event, slot in HALL.items() if (event == self.rights[ending].event) == is_own)

    def unseen(self):
        return self.endings[self.number + 6]

    # The good end

    def good_end(self):
        """On a good day everybody presents their ticket until it is refused, or is for staff: at its hall, where many have been to the other one, or outside."""
        self.system.misbehave()
        self.station.start()
        self.station.await_reading()
        self.settle()
        for ending, ticket in self.rights.items():
            if self.random.random() < 0.3:
                self.show(ticket.code, self.hall(ending, is_own=False))
            slot = self.hall(ending) if ending in self.astray else self.random.choice([OPEN[0], self.hall(ending)])
            for _ in range(ticket.quantity + 3):
                told = self.show(ticket.code, slot)
                if told is None:
                    self.problems.append(f"{ending}: no verdict at the end")
                    break
                self.last_words[ending] = told
                if told["verdict"] == "refuse" or told["reason"] == "interrupted":
                    break
                time.sleep(0.001)
            else:
                self.problems.append(f"{ending}: never refused, {told['verdict']} {told['reason']} {told['note']}")
        for ending, code in self.system.members.items():
            told = self.show(code, TURNSTILE)
            if told is None or told["verdict"] != "admit" and told["reason"] not in ("tooSoon", "interrupted"):
                self.problems.append(f"{ending}: a member was told {told and told['reason']} at the end")
        for ending, party in self.system.parties.items():
            for _ in range(party.seats + 3):
                told = self.last_words[ending] = self.show(party.code, STALLS)
                if told is None or told["verdict"] != "admit":
                    break
            # Whether one that a cut broke off was for staff is the books' business.
            if told is None or told["reason"] not in ("alreadyUsed", "interrupted"):
                self.problems.append(f"{ending}: a party was told {told and (told['verdict'], told['reason'])} at the end")
        self.settle()
        self.station.stop()

    def show(self, code, slot):
        """Shows a ticket or a pass on a good day; returns the scan, `None` where there is none in time."""
        for _ in range(20):
            # 400 ms are short where the machine has much else to do: what counts as an outage is waited for, and what had no time comes again.
            if self.station.is_away():
                self.settle()
            self.station.present(code, slot)
            told = self.station.wait(lambda event: event["type"] == "scan" and event["code"].endswith(code[-4:]), 20)
            if told is None or told["reason"] != "unreachable":
                break
        return told

    def settle(self):
        """Returns when the ticket system is there and knows of every admission; that it does not come is a problem."""
        end = time.monotonic() + 300
        while self.station.is_away() or self.station.owed():
            self.station.take_events()
            if time.monotonic() > end:
                self.problems.append(f"{self.station.owed()} admissions were not told to the ticket system in the end")
                return
            time.sleep(0.2)
