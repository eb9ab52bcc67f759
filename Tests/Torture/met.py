"""What an evening met. One that met too little of what it is for has proven nothing, whatever its books say."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counter:
    """Something that an evening is for: what it is called, and how many a kill brings at least; real evenings bring twice that and more."""

    words: str
    rate: float
    takes_cuts: bool = False


#: Fewer kills than these deal no whole hand (plan.py), and nothing is asked of them.
FREE = 12

COUNTERS = {
    "scans": Counter("scans read", 4),
    "kills": Counter("kills", 1),
    "cuts": Counter("of them power cuts", 0.33, True),
    "open": Counter("requests open at a kill", 0.2),
    "lives": Counter("kills in mid-decision", 0.2),
    "lost": Counter("answers lost", 0.17),
    "offline": Counter("admissions offline", 0.33),
    "owed": Counter("admissions owed at a kill", 0.17),
    "spared": Counter("tickets of the other hall refused without a request", 0.3),
    "astray": Counter("tickets redeemed at the wrong hall", 0.07),
    "carried": Counter("of them admitted in a later life", 0.03),
    "carried_over_cuts": Counter("of these after a power cut", 0, True),
    "members": Counter("members let in", 0.05),
    "handed_back": Counter("passes handed back", 0.3),
    "theatre": Counter("people of parties let in", 0.3),
    "split": Counter("parties of which a kill came between two", 0.05),
    "split_by_cuts": Counter("of these by a power cut", 0, True),
    "interrupted": Counter("requests interrupted", 0.06, True),
    "taken": Counter("scans lost with the power", 0.06, True),
    "nobodys": Counter("requests that nobody knows of since", 0, True),
}


def count(books, lives):
    """How often an evening met each; its good end is none of it."""
    evening = [life for life in lives if life.ended is not None]
    attempts = [attempt for attempt in books.attempts if attempt.session < books.last_session and not attempt.late]
    owed = [one for one in books.owed if one.session < books.last_session and one.told != "withdrawn"]
    open_at_end = [attempt for attempt in attempts if attempt.ending != attempt.session]
    asked = {attempt.scan for attempt in books.attempts}
    astray = [attempt for attempt in books.astray if attempt.session < books.last_session]
    carried = list(filter(None, (carried_by(books, attempt) for attempt in astray)))
    return {
        "scans": len({event["id"] for event in books.told if event["life"] < len(evening)}),
        "kills": len(evening),
        "open": len(open_at_end),
        "lives": len({attempt.session for attempt in open_at_end}),
        "lost": sum(attempt.ending == attempt.session and attempt.fate in ("lost", "pending") for attempt in attempts),
        "offline": len(owed),
        "owed": sum(one.ending != one.session for one in owed),
        "cuts": sum(life.is_cut for life in evening),
        "spared": sum(event["reason"] == "wrongEvent" and event["id"] not in asked for event in books.told if event["life"] < len(evening)),
        "astray": len(astray),
        "carried": len(carried),
        "carried_over_cuts": sum(any(life.is_cut for life in lives[since:until]) for since, until in carried),
        "members": sum(event["verdict"] == "admit" for event in books.members_told if event["life"] < len(evening)),
        "handed_back": sum(event["reason"] == "tooSoon" for event in books.members_told if event["life"] < len(evening)),
        "theatre": sum(event["verdict"] == "admit" for event in books.theatre_told if event["life"] < len(evening)),
        "split": len(split(books, evening)),
        "split_by_cuts": sum(any(life.is_cut for life in lives[since:until]) for since, until in split(books, evening)),
        "interrupted": len(books.interrupted),
        "taken": len(books.taken),
        "nobodys": books.nobodys,
    }


def split(books, evening):
    """Of each party that was not let in by one life alone, the first and the last that let somebody in."""
    parties = {}
    for event in books.theatre_told:
        if event["verdict"] == "admit" and event["life"] < len(evening):
            parties.setdefault(event["code"], set()).add(event["life"])
    return [(min(lives), max(lives)) for lives in parties.values() if len(lives) > 1]


def carried_by(books, attempt):
    """The life in which a ticket was redeemed at the wrong hall, and the first later one in which it was admitted; `None` where there is none."""
    since = next((event["life"] for event in books.told if event["id"] == attempt.scan), None)
    if since is None:
        return None
    admitted = [
        event["life"] for event in books.told
        if event["verdict"] == "admit" and event["life"] > since and event["code"].endswith(attempt.ending_of_code)]
    return (since, min(admitted)) if admitted else None


def unmet(counts, kills, with_cuts):
    """What was met too rarely, a sentence each."""
    for name, counter in COUNTERS.items():
        floor = int(max(0, kills - FREE) * counter.rate)
        if counts[name] < floor and (with_cuts or not counter.takes_cuts):
            yield f"{counts[name]} {counter.words}, where {kills} kills must bring {floor} at least: this evening does not prove what it is for"
