"""The codes of one soak. Their last four characters tell them apart: more events do not show."""

import collections
import random
import time

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
#: Longer than any gate's hold-off, after which a code that was used is refused and not repeated.
REST = 3


class Tickets:
    def __init__(self, count, seed):
        self.random = random.Random(seed)
        self.codes = collections.deque(self.code(number) for number in range(count))
        self.unknowns, self.taken = count, 0
        # The latest, so that what is presented again was presented not long ago; and when.
        self.admitted = collections.deque(maxlen=3000)

    def code(self, number):
        ending = ""
        for _ in range(4):
            number, digit = divmod(number, len(LETTERS))
            ending = LETTERS[digit] + ending
        return "".join(self.random.choices(LETTERS, k=20)) + ending

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(["code", *self.codes]) + "\n")

    def new(self):
        """One that nobody has presented."""
        code = self.codes.popleft()
        self.taken += 1
        self.admitted.append((code, time.monotonic()))
        return code

    def used(self):
        """One with which somebody is in."""
        for _ in range(100):
            index = self.random.randrange(len(self.admitted))
            code, at = self.admitted[index]
            if time.monotonic() - at > REST:
                self.admitted[index] = (code, time.monotonic())
                return code
        raise SystemExit("There are too few used tickets for as many as are presented.")

    def unknown(self):
        self.unknowns += 1
        return self.code(self.unknowns)
