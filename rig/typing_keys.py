"""Typing on the keyboard that QEMU emulates, from outside of the guest."""

import time

#: QEMU's names of keys on a US keyboard, those with Shift apart.
KEYS = {"-": "minus", "=": "equal", ";": "semicolon", ".": "dot", "/": "slash", "\n": "ret", **{each: each for each in "abcdefghijklmnopqrstuvwxyz0123456789"}}
SHIFTED = {":": ";", "_": "-", "+": "=", **{each: each.lower() for each in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}}


def type_keys(qmp, text, pause=0.12):
    """Types on QEMU's keyboard, by what sends a command of its machine protocol, and Enter after it.

    The keyboard is asked every 8 ms of the guest's time, and forgets what nobody has asked for: hence the pause, in seconds.
    """
    for letter in text + "\n":
        keys = ["shift", KEYS[SHIFTED[letter]]] if letter in SHIFTED else [KEYS[letter]]
        qmp("send-key", keys=[{"type": "qcode", "data": key} for key in keys], **{"hold-time": 40})
        time.sleep(pause)
