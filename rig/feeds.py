"""What the guest tells of its own accord, and how a test waits for it."""

import time

from machine import MachineError

#: How long a test waits for what has to happen, in seconds: long, for the host may be busy, and nothing waits so long when all is well.
PATIENCE = 60
#: For so long, in seconds, nothing need come before what is followed is looked at all the same.
QUIET = 2


class Feed:
    """Lines of a followed file, or of a program that prints."""

    def __init__(self, feeds):
        self._feeds, self._rest, self._lines = feeds, b"", []

    def take(self, part):
        """Takes more of it; called as it comes."""
        *whole, self._rest = (self._rest + part).split(b"\n")
        self._lines += [line.decode(errors="replace") for line in whole]

    def lines(self, since=0):
        """Every whole line that there is, from a number on; everything that has happened is in it (see `Feeds.catch_up`)."""
        self._feeds.catch_up()
        return self.told(since)

    def told(self, since=0):
        """What has come by now."""
        return self._lines[since:]


class _Look:
    """One look at what `until` waits for."""

    def __init__(self):
        #: What would have to be synced to be certain; whether it was.
        self.hurried, self.is_certain = [], False


class Feeds:
    """The part of a rig that follows and waits."""

    def __init__(self, machine):
        self.machine = machine
        self._look = None
        self._followed, self._kept = [], []

    def follow(self, path):
        """Follows a file, which may come later, until the test ends."""
        feed = Feed(self)
        self._followed.append(self.machine.follow(path, feed.take))
        return feed

    def keep_following(self, path):
        """Follows a file for good."""
        feed = Feed(self)
        self._kept.append(self.machine.follow(path, feed.take))
        return feed

    def let_go(self):
        """Ends everything that is followed: who restores the guest's state would be told, and has not asked."""
        self.stop_following()
        for followed in self._kept:
            self.machine.unfollow(followed)
        self._kept.clear()

    def stop_following(self):
        """Ends what `follow` has begun; what was told stays."""
        for followed in self._followed:
            self.machine.unfollow(followed)
        self._followed.clear()

    def catch_up(self, sync=None):
        """Returns when everything was told that has happened when this was called: that something is missing then, proves that it was not.

        A look of `until` is hasty at first. What it takes for true it looks at once more, and then does not lack anything.
        `sync` is a function that does it for what comes another way than files.
        """
        sync = sync or self.machine.sync
        if self._look is None:
            sync()
        elif not self._look.is_certain and sync not in self._look.hurried:
            self._look.hurried.append(sync)

    def until(self, condition, timeout=PATIENCE, what="the condition"):
        """Waits until a Python function returns something true, and returns that.

        The function is called whenever the guest has told something; if it asks the guest itself, over and over.
        """
        deadline = time.monotonic() + timeout
        outer = self._look
        try:
            while True:
                seen, asked, began = self.machine.news_count, self.machine.asked, time.monotonic()
                self._look = _Look()
                result = condition()
                asks = self.machine.asked != asked
                if result and self._look.hurried:
                    for sync in self._look.hurried:
                        sync()
                    self._look.is_certain = True
                    result = condition()
                if result:
                    return result
                if time.monotonic() > deadline:
                    raise MachineError(f"{what}: not so within {timeout} s")
                if asks:
                    # As much pause as work: to ask takes the guest's time.
                    time.sleep(max(0.05, time.monotonic() - began))
                elif not self.machine.wait_for_news(seen, QUIET):
                    self.machine.sync()
        finally:
            self._look = outer
