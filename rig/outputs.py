"""What the guest's simulated hardware was told, and when: lines, LEDs, PWM, tones. All as it comes; see `Feeds.catch_up`."""

import re
from collections import namedtuple

from machine import MachineError

LINES = ["RELAY0", "RELAY1", "LAMP_G", "LAMP_R", "BUZZ", "DOOR", "PASS", "TAMPER"]
LEDS = ["gate:green:pass", "gate:red:deny"]
PWM_CHIP = "pwm-sim"
SPEAKER = "Gate Speaker"
CHIP = "/run/rig/gpio-sim"
TRACE = "/sys/kernel/tracing/trace_pipe"

MS = 1_000_000

#: A change of level: time in nanoseconds of the guest's CLOCK_MONOTONIC, and the level that the line has from then on.
Edge = namedtuple("Edge", "at level")
#: A line's time at level 1; `length` is in nanoseconds, or None while it lasts.
Pulse = namedtuple("Pulse", "at length")
#: What an LED was set to.
Brightness = namedtuple("Brightness", "at value")
#: What a PWM channel was set to: period and duty in nanoseconds.
PWMState = namedtuple("PWMState", "at period duty enabled")
#: What a speaker was told to sound, in hertz; 0 is silence.
Tone = namedtuple("Tone", "at frequency")

STAMPED = re.compile(r" (\d+)\.(\d{6}): (gpio_value|pwm_apply|let_go): (.*)")


def changes_of(edges):
    """Edges without those that change nothing."""
    changed = []
    for edge in sorted(edges, key=lambda edge: edge.at):
        if not changed or edge.level != changed[-1].level:
            changed.append(edge)
    return changed


def assert_nothing_lost(line):
    """The kernel says in its trace where it had to leave something out."""
    if re.match(r"CPU:\d+ \[LOST \d+ EVENTS\]", line):
        raise MachineError(f"the kernel's trace has not everything, and what it tells of levels is wrong: {line}")


class Outputs:
    """The part of a rig that tells of outputs. Times are the guest's CLOCK_MONOTONIC."""

    def __init__(self):
        self._trace = self._lamps = self._speaker = self._standstills = None
        self._trace_read, self._traced_until = 0, 0
        self._sets, self._let_go, self._pwm = {}, {}, []
        self._line_numbers = None
        # By line: when it was looked at, and at which level it was; the pull that it has.
        self._seen, self._pulls = {}, {}

    def follow_outputs(self):
        """Begins to follow everything, once the simulated hardware is there."""
        for feed, path in (("_trace", TRACE), ("_lamps", "/run/rig/uled.log"), ("_speaker", "/run/rig/speaker.log")):
            if getattr(self, feed) is None and (feed == "_trace" or self.machine.holds(f"exists {path}")):
                setattr(self, feed, self.keep_following(path))

    # Time

    def mark(self):
        """The time now, as the stamps of edges and lamps count it: what has happened has an earlier one, what follows has none that is."""
        self.machine.sync()
        now = self.machine.now()
        # The trace's clock may be ahead of that of programs by a few milliseconds.
        self._read_trace()
        return max(now, self._traced_until + 1)

    def standstills(self, since=0):
        """When the whole guest stood still for more than 20 ms, because its host had no time for it: (begin, end)."""
        times = (tuple(map(int, line.split())) for line in self._standstills.lines())
        return [(begin, end) for begin, end in times if end > since]

    def stood_still(self, start, end):
        """For how long the guest stood still between two times, in nanoseconds; nothing in it could be on time then."""
        return sum(max(0, min(resumed, end) - max(begin, start)) for begin, resumed in self.standstills(start))

    # Lines

    def _read_trace(self):
        """Takes in what the kernel has traced; what is there, whether or not there is more to come."""
        for line in self._trace.told(self._trace_read):
            self._trace_read += 1
            assert_nothing_lost(line)
            found = STAMPED.search(line)
            if not found:
                continue
            at = (int(found[1]) * 1_000_000 + int(found[2])) * 1000
            self._traced_until = max(self._traced_until, at)
            words = found[4].split()
            if found[3] == "gpio_value" and words[1] == "set":
                self._sets.setdefault(int(words[0]), []).append(Edge(at, int(words[2])))
            elif found[3] == "let_go":
                self._let_go.setdefault(int(words[-1].removeprefix("offset=")), []).append(at)
            elif found[3] == "pwm_apply":
                values = dict(word.split("=") for word in words if "=" in word)
                self._pwm.append(PWMState(at, int(values["period"]), int(values["duty_cycle"]), values["enabled"] == "1"))

    def _look_at_trace(self):
        self.catch_up()
        self._read_trace()

    def _number(self, line):
        if self._line_numbers is None:
            base = re.search(r"GPIOs (\d+)-\d+,[^\n]*gpio-sim", self.get("/sys/kernel/debug/gpio").decode())
            self._line_numbers = {name: int(base[1]) + offset for offset, name in enumerate(LINES)}
        return self._line_numbers[line]

    def edges(self, line, since=0):
        """Changes of level of an output line by name, as the kernel traced them."""
        number = self._number(line)
        self._look_at_trace()
        return [edge for edge in changes_of([Edge(0, 0), *self._sets.get(number, [])])[1:] if edge.at >= since]

    def pulses(self, line, since=0):
        """The times that a line was at 1."""
        pulses = []
        for edge in self.edges(line, since):
            if edge.level == 1:
                pulses.append(Pulse(edge.at, None))
            elif pulses:
                pulses[-1] = Pulse(pulses[-1].at, edge.at - pulses[-1].at)
        return pulses

    def set_input(self, line, level):
        """Drives an input line from outside."""
        self.set_pull(line, "up" if level else "down")

    def set_pull(self, line, direction):
        """Which way a line goes, "up" or "down", while nobody drives it."""
        self.machine.write(f"{self._folder(line)}/pull", f"pull-{direction}\n")
        self._pulls.setdefault(line, []).append(Edge(self.machine.now(), int(direction == "up")))
        if line in self._seen:
            self._look_at_line(line)

    def level(self, line):
        """A line's level now."""
        return int(self.get(f"{self._folder(line)}/value"))

    def _folder(self, line):
        return f"{CHIP}/sim_gpio{LINES.index(line)}"

    def watch_level(self, line):
        """Begins to tell of a line's level, see `levels`: unlike `edges` this shows a line that is let go, and follows its pull."""
        self._seen[line] = []
        self._look_at_line(line)

    def _look_at_line(self, line):
        self._seen[line].append(Edge(self.machine.now(), self.level(line)))

    def levels(self, line, since=0):
        """Levels that a watched line has had, the first of them the one it had at `since`."""
        number = self._number(line)
        self._look_at_trace()
        begin = self._seen[line][0].at
        edges = self._seen[line] + [edge for edge in self._sets.get(number, []) if edge.at > begin]
        for at in self._let_go.get(LINES.index(line), []):
            pulls = [pull.level for pull in self._pulls.get(line, []) if pull.at <= at]
            if at > begin:
                edges.append(Edge(at, pulls[-1] if pulls else 0))
        changes = changes_of(edges)
        before = [edge for edge in changes if edge.at < since]
        return before[-1:] + [edge for edge in changes if edge.at >= since]

    # Lamps and buzzers

    def pwm_changes(self, since=0):
        """What channels of the PWM chip were set to, as the kernel traced it."""
        self._look_at_trace()
        return [change for change in self._pwm if change.at >= since]

    def tones(self, since=0):
        """What the speaker was told to sound, and when."""
        found = map(str.split, self._speaker.lines())
        return [Tone(int(at), int(hertz)) for at, hertz in found if int(at) >= since]

    def led_changes(self, name, since=0):
        """What an LED was set to, and when."""
        found = map(str.split, self._lamps.lines())
        return [Brightness(int(at), int(value)) for at, led, value in found if led == name and int(at) >= since]
