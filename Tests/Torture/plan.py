"""What is to happen in an evening: how each life of the gateway ends, when, and whether the ticket system is away meanwhile."""

from dataclasses import dataclass, replace

#: How the ticket system goes away for a while: not at all, nearly half the time.
AWAY = [(), "halted", (), ("status=503",), (), ("status=502,when=after",), (), ("close=before",), ("close=after",)]


@dataclass(frozen=True)
class End:
    """How a life of the gateway ends.

    `moment` is "starting" (before it reads), "whenever", "late" (when what was written first must be on the disk), "asked" (a request is open), "lost" (an
    answer was lost), "admitted" (somebody was just let in) or "astray" (a hall has redeemed a ticket of the other one). `away` is how the ticket system is away meanwhile.
    """

    is_cut: bool
    moment: str
    away: object = ()


#: A random evening would meet some of this too rarely to prove anything: its ends are dealt from these.
CUTS = [End(True, moment) for moment in ("astray", "asked", "lost", "asked", "astray", "admitted", "late", "starting")]
KILLS = [
    End(False, moment) for moment in (
        "asked", "whenever", "admitted", "astray", "lost", "whenever", "whenever", "asked", "admitted", "whenever", "starting", "whenever", "admitted",
        "astray")]


def make(kills, random, with_cuts):
    """The ends of an evening, in order.

    The power goes in its first two thirds alone: in the last one, what only kills may cost is looked at by itself.
    """
    cuts = dealt(CUTS, kills // 3)
    if not with_cuts:
        cuts = [replace(end, is_cut=False) for end in cuts]
    plain = dealt(KILLS, kills - len(cuts))
    first, last = cuts + plain[:len(cuts)], plain[len(cuts):]
    random.shuffle(first)
    random.shuffle(last)
    ends, outages = [], []
    for end in first + last:
        if end.moment in ("whenever", "admitted", "late"):
            if not outages:
                outages = random.sample(AWAY, len(AWAY))
            end = replace(end, away=outages.pop())
        ends.append(end)
    return ends


def dealt(deck, count):
    return [deck[number % len(deck)] for number in range(count)]
