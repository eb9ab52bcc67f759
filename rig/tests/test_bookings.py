"""Show bookings at a theatre's doors: the list on board decides, the station's own book counts, and the service is asked as seldom as it allows."""

import time

import place
from place import in_guest, natively
from rig import PATIENCE
from sets import release
from test_offline import FOLDER, GATES, OUTPUTS, TIMES, VerdictCase
from venue import AS_GATE, SCANGATE, URL

#: The file with the password of the theatre's staff.
PASSWORD = f"{FOLDER}/staff.password"
#: In which the service counts calls, and how many it allows of both kinds that there are.
PERIOD, LISTS, CHECKS = 15 * 60, 3, 2
DAY, HOUR = 86_400, 3_600
#: Natively tests begin no later before midnight UTC, nor sooner after it: there is a list for each day of UTC.
BEFORE, AFTER = 300, 70


def zone_of(now):
    """A zone of the same date as UTC, in which the afternoon has begun or the evening is not over: a matinee of three hours ago is today's."""
    hour = now % DAY // HOUR
    ahead = 12 if hour < 8 else -6 if hour >= 22 else 0
    return f"Etc/GMT{-ahead:+d}" if ahead else "UTC"


def configuration(theatre, zone, refresh):
    """Two doors of one house."""
    def gate(name, reader):
        return f"""
  {name}:
    readers: [{reader}]
    ticketSystem: theatre
    ticket: {{shows: tonight, opens: 60 min, closes: 30 min, party: each}}
    holdOff: 0 s{TIMES}
    {OUTPUTS[name]}"""

    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  theatre:
    type: bookings
    url: "{URL}"
    allowPlainHTTP: true
    venue: {{id: {theatre["venue"]}, slug: {theatre["slug"]}, zone: {zone}}}
    staff: {{email: door@theatre.example, password: theatre-door}}
    origin: https://lastminutelive.com
    list: {{refresh: {refresh}, details: true}}
readers:
  left: {{type: serial, match: {{path: /run/rig/left}}}}
  right: {{type: serial, match: {{path: /run/rig/right}}}}
gates:{gate("north", "left")}{gate("south", "right")}
"""


class TheatreCase(VerdictCase):
    """A booking service as the real one answers, with a matinee of this afternoon and a show that begins in ten minutes; and a station at both doors of the house."""

    def open_theatre(self, limits="--no-limits"):
        """The service and its shows; there is no station yet."""
        zone = zone_of(self.right_time())
        self.open_venue("code,kind,status\n", "--seed", "--bookings", "real", "--staff-password-file", PASSWORD, "--theatre-zone", zone, limits=limits)
        self.theatre, self.zone = next(show for show in self.venue.shows() if show["seeded"] == "night"), zone
        self.matinee = self.put_on("Matinee", "-3h")
        self.night = self.put_on("Night", "10min")
        self.command(f"credential set theatre-door --file {PASSWORD}")

    def right_time(self):
        """The machine's time, far from midnight UTC; in the guest noon, by a clock that something keeps right."""
        now = time.time()
        if not place.NATIVE:
            self.addCleanup(self.set_clock, None)
            self.noon = now - now % DAY + DAY / 2
            self.set_clock(self.noon)
            return self.noon
        left = DAY - now % DAY
        if left < BEFORE or DAY - left < AFTER:
            time.sleep((left + AFTER) % DAY)
        return time.time()

    def set_clock(self, seconds):
        """Sets the guest's civil clock to a time, and says that it is right; or to this machine's, which nothing keeps right there."""
        self.rig.machine.do("settime", words=str(time.time_ns() if seconds is None else int(seconds * 1e9)))
        self.rig.set_clock_trust(seconds is not None)

    def put_on(self, title, starts):
        """Puts a show on; returns its id."""
        return self.venue.booking(f"add-show --title {title} --starts {starts} --unseated").strip()

    def book(self, show, count=1, customer="Guest"):
        """Makes a booking for so many; returns its code."""
        return self.venue.booking(f"add --show {show} --count {count} --customer {customer}").strip()

    def open_doors(self, refresh="1 min"):
        """Starts the station, which fetches the door list by itself. What it asks from its beginning on is counted."""
        self.begin(configuration(self.theatre, self.zone, refresh))
        self.until_listed()

    def begin(self, text):
        self.venue.count()
        super().begin(text, counting=False)

    def until_listed(self):
        """Waits until this run of the station has the door list on board."""
        self.rig.until(
            lambda: self.alive() and [event for event in self.of("list") if event["state"] == "refreshed"], 2 * PATIENCE, "the door list on board")

    def restart(self):
        """Starts the station again; it ended before, whatever of."""
        self.run_gateway()
        self.until_gates("ready")

    def kill(self):
        """Ends the station at once."""
        self.rig.kill(self.service.pid)
        self.service.started.result(PATIENCE)

    def show_party(self, code, size, readers):
        """A party comes person by person, and one who does not belong to it."""
        for number, reader in zip(range(1, size + 1), readers):
            self.show(reader, code, "admit", admitted=number, allowance=size, provisional=False)
        for reader in GATES:
            self.show(reader, code, "refuse", "alreadyUsed", first_used_gate=GATES[readers[0]])


@in_guest
@release
class PowerCut(TheatreCase):
    """The service is gone for the whole evening, and so is the power for a moment."""

    STATE = f"{place.STATION}/theatre"

    def test_party_is_admitted_as_often_as_it_has_seats(self):
        self.rig.mount_station()
        self.open_theatre()
        party = self.book(self.night, count=3, customer="Ada")
        later, afternoon = self.book(self.night), self.book(self.matinee)
        self.open_doors()
        self.rig.sh(f"sync -f {place.STATION}")
        self.venue.stop()

        self.show("left", party, "admit", admitted=1, allowance=3, provisional=False, holder="Ada")
        self.show("left", afternoon, "refuse", "tooLate")
        self.rig.cut_power(self.service)
        self.restart()
        self.show("right", party, "admit", admitted=2, allowance=3, provisional=False)
        self.rig.cut_power(self.service)
        self.restart()
        self.show("left", party, "admit", admitted=3, allowance=3, provisional=False)
        for reader in GATES:
            self.show(reader, party, "refuse", "alreadyUsed", first_used_gate="north")
        self.show("right", later, "admit", admitted=1, allowance=1, provisional=False)
        self.show("right", afternoon, "refuse", "tooLate")


class Evening(TheatreCase):
    """A house whose list is on board."""

    @release
    def test_list_decides_and_a_late_booking_is_found_by_one_check(self):
        self.open_theatre()
        party, afternoon = self.book(self.night, count=3, customer="Ada"), self.book(self.matinee)
        self.open_doors("5 min")
        late = self.book(self.night, count=2, customer="Late")
        self.show("left", afternoon, "refuse", "tooLate")
        self.assert_asked("what the list names is not asked about", lists=1, checks=0)
        self.show("left", late, "admit", admitted=1, allowance=2, holder="Late", provisional=False)
        self.show("right", late, "admit", admitted=2, allowance=2, provisional=False)
        self.show("left", late, "refuse", "alreadyUsed", first_used_gate="north")
        self.assert_asked("a late booking is found by one check, whoever of it comes", lists=1, checks=1)

        # For the rest of the evening packets vanish.
        later = self.book(self.night)
        self.venue.cut("dropped")
        self.show_party(party, 3, ["left", "right", "left"])
        self.show("right", later, "undecided", "unreachable")
        self.show("right", afternoon, "refuse", "tooLate")


class Ration(TheatreCase):
    """The service allows five calls in a quarter of an hour, list and checks together, and says 403 to a sixth."""

    def spend(self):
        """Makes the five calls: three for the list, two of them at a terminal, and two checks. Returns a code that nobody was asked about, and one of the list."""
        self.open_theatre(limits="")
        listed = self.book(self.night)
        self.open_doors("10 min")
        for code in ("NOBODY01", "NOBODY02"):
            self.show("left", code, "refuse", "notFound")
        for _ in range(LISTS - 1):
            self.assertIn(listed[-4:], self.command(f"booking doorlist --json --config {FOLDER}/scangate.yaml"))
        self.assert_asked("five calls", lists=LISTS, checks=CHECKS)
        return self.book(self.night), listed

    def assert_withheld(self, code):
        """Nobody is asked about a code, and staff are told what to do."""
        for reader in GATES:
            detail = self.show(reader, code, "undecided", "rateLimited")["detail"]
            self.assertRegex(detail, r"^Not on the list of \d\d:\d\d, ask the box office\. .* again in \d+ min\.$")
        said = self.rig.sh(f"STATE_DIRECTORY={self.STATE} {AS_GATE} {SCANGATE} booking doorlist --config {FOLDER}/scangate.yaml 2>&1; echo status $?", timeout=120)
        self.assertRegex(said, r"(?s)again in \d+ min.*status [1-9]")
        self.assert_asked("no sixth call", lists=LISTS, checks=CHECKS)

    @natively
    def test_sixth_call_is_not_made(self):
        late, listed = self.spend()
        self.assert_withheld(late)
        self.kill()
        self.restart()
        self.assert_withheld(late)
        self.show("left", listed, "admit", admitted=1, allowance=1)

    @in_guest
    @release
    def test_sixth_call_is_waited_out(self):
        late, listed = self.spend()
        self.assert_withheld(late)
        self.kill()
        # The station, and the service, have counted by a clock that goes on while nothing runs.
        self.set_clock(self.noon + PERIOD + 5 * 60)
        self.restart()
        self.until_listed()
        self.show("left", late, "admit", admitted=1, allowance=1)
        self.show("left", listed, "admit", admitted=1, allowance=1)
        self.show("left", "NOBODY03", "refuse", "notFound")
        self.assert_asked("the sixth call, and the seventh", lists=LISTS + 1, checks=CHECKS + 1)

    @natively
    def test_retry_after_is_obeyed(self):
        """Somebody else at this address has made the calls: what the service says then, and for how long, counts."""
        self.open_theatre()
        self.open_doors("5 min")
        late, wait = self.book(self.night), 6
        self.venue.count(f"status=429,retry-after={wait}s,on=checks,next=1")
        asked = time.monotonic()
        self.assertIn("ask the box office", self.show("left", late, "undecided", "rateLimited")["detail"])
        self.show("right", late, "undecided", "rateLimited")
        self.assert_asked("it is not asked again before its time", checks=1)
        self.rig.sh(f"sleep {max(0, asked + wait + 2 - time.monotonic()):.1f}")
        self.show("right", late, "admit", admitted=1, allowance=1)
        self.assert_asked("and once after it", checks=2)
