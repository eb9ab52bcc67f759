"""What was to be seen of each test, told plainly: codes that were presented, faults, pulses, and what the service said. `rig/test --transcript` asks for it."""

from secrets_told import PRODUCT

#: Whether anybody wants it; set by the runner.
wanted = False
#: What a longer code is cut to.
LONGEST = 48
#: How much is told of what a program has printed: that many of its last lines.
LAST = 60
#: What the station drives, in the guest's own words.
LINES = ["RELAY0", "RELAY1", "LAMP_G", "LAMP_R", "BUZZ"]


def shown(text):
    """A code as a person wants to read it; several of them, one after another."""
    text = text.replace("\n", ", ")
    return text if len(text) <= LONGEST else f"{text[:LONGEST // 2]}… ({len(text)} characters)"


def tell(rig, since, is_installed):
    """Prints what has happened in a test since it began, by the guest's clock from then on; a program that was started by hand has no times, and its own words come after that."""
    happened = [each for each in rig.noted if each[0] >= since]
    if "gpio-sim" in rig.sh("cat /sys/kernel/debug/gpio 2> /dev/null; true"):
        for line in LINES:
            lengths = ((pulse.at, "and stays so" if pulse.length is None else f"for {pulse.length / 1e6:.1f} ms") for pulse in rig.pulses(line, since))
            happened += [(at, f"{line} is switched on {how}") for at, how in lengths]
    if is_installed:
        for entry in rig.journal_entries():
            if entry.at >= since and any(unit.startswith(PRODUCT) for unit in entry.units):
                happened += [(entry.at, f"{entry.identifier}: {line}") for line in entry.message.splitlines()]
    for at, words in sorted(happened, key=lambda each: each[0]):
        print(f"        {(at - since) / 1e9:8.3f} s  {words}")
    for process in rig.processes:
        if process.name.startswith(PRODUCT):
            # Whoever serves several tests has told some already.
            lines = process.log().strip().splitlines()
            for line in lines[process.lines_told:][-LAST:]:
                print(f"                    {process.name}: {line}")
            process.lines_told = len(lines)
    print(end="", flush=True)
