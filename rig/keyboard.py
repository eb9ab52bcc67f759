"""What a scanner's keyboard sends: text as HID keyboard reports, for the layout that the scanner is set to.

Key codes are those of the USB HID Usage Tables, chapter 10 (page 0x07). A report is a pair (modifiers, key).
"""

from dataclasses import dataclass

CTRL, SHIFT, ALT, ALTGR = 0x01, 0x02, 0x04, 0x40
ENTER, TAB, KEYPAD_ENTER = 0x28, 0x2B, 0x58
RELEASED = (0, 0)


@dataclass(frozen=True)
class Key:
    """One key by its code, with the modifiers held while it is pressed."""
    code: int
    modifiers: int = 0


@dataclass(frozen=True)
class Held:
    """Keys pressed one after the other while modifiers stay down: Alt with digits of the keypad."""
    modifiers: int
    codes: tuple


def _keys(first, characters, modifiers=0):
    return {character: Key(first + index, modifiers) for index, character in enumerate(characters)}


_COMMON = {**_keys(0x1E, "1234567890"), "\n": Key(ENTER), "\x1b": Key(0x29), "\b": Key(0x2A), "\t": Key(TAB), " ": Key(0x2C)}

LAYOUTS = {
    "us": {
        **_COMMON,
        **_keys(0x04, "abcdefghijklmnopqrstuvwxyz"), **_keys(0x04, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", SHIFT),
        **_keys(0x1E, "!@#$%^&*()", SHIFT),
        **_keys(0x2D, "-=[]\\"), **_keys(0x33, ";'`,./"), **_keys(0x2D, "_+{}|", SHIFT), **_keys(0x33, ":\"~<>?", SHIFT),
        "\x1d": Key(0x30, CTRL),  # GS is Ctrl and ]
    },
    "de": {
        **_COMMON,
        **_keys(0x04, "abcdefghijklmnopqrstuvwxzy"), **_keys(0x04, "ABCDEFGHIJKLMNOPQRSTUVWXZY", SHIFT),
        **_keys(0x1E, "!\"§$%&/()=", SHIFT),
        "ß": Key(0x2D), "?": Key(0x2D, SHIFT), "\\": Key(0x2D, ALTGR),
        "ü": Key(0x2F), "Ü": Key(0x2F, SHIFT), "+": Key(0x30), "*": Key(0x30, SHIFT), "~": Key(0x30, ALTGR),
        "#": Key(0x32), "'": Key(0x32, SHIFT),
        "ö": Key(0x33), "Ö": Key(0x33, SHIFT), "ä": Key(0x34), "Ä": Key(0x34, SHIFT), "°": Key(0x35, SHIFT),
        **_keys(0x36, ",.-"), **_keys(0x36, ";:_", SHIFT),
        "<": Key(0x64), ">": Key(0x64, SHIFT), "|": Key(0x64, ALTGR),
        "@": Key(0x14, ALTGR), "€": Key(0x08, ALTGR), "µ": Key(0x10, ALTGR),
        "{": Key(0x24, ALTGR), "[": Key(0x25, ALTGR), "]": Key(0x26, ALTGR), "}": Key(0x27, ALTGR),
    },
}

KEYPAD = {**_keys(0x59, "1234567890"), ".": Key(0x63), "/": Key(0x54), "*": Key(0x55), "-": Key(0x56), "+": Key(0x57), "\n": Key(KEYPAD_ENTER)}


def alt_code(digits):
    """A character by its number: Alt held while digits are typed on the keypad."""
    return Held(ALT, tuple(KEYPAD[digit].code for digit in digits))


def reports(text, layout="us"):
    """The reports for `text`: a string, or a sequence of strings, `Key` and `Held`."""
    table = KEYPAD if layout == "keypad" else LAYOUTS[layout]
    made = []
    for item in [text] if isinstance(text, (str, Key, Held)) else text:
        for key in [table[character] for character in item] if isinstance(item, str) else [item]:
            if isinstance(key, Held):
                made.append((key.modifiers, 0))
                for code in key.codes:
                    made += [(key.modifiers, code), (key.modifiers, 0)]
                made.append(RELEASED)
            else:
                made += [(key.modifiers, key.code), RELEASED]
    return made
