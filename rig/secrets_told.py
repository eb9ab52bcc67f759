"""Whether what tests have put out holds what nobody may be told: keys, tokens, passwords, cookies, whole codes, holders' names.

One place for all tests: a world tells what it knows (`Known.add`), and at the end of each test everything that was collected is searched, whatever the test was about.
What is found is told by place and kind, and never by a word of it.
"""

import base64
import json
import re
import urllib.parse
from collections import namedtuple

#: Shorter ones stand in other words by chance.
SHORTEST = 6
#: Kinds that are told where a file says `names: true`.
NAMES = "name"
#: Kinds that whoever asks is sent themselves, and nobody else.
OWN = {"cookie", "form token"}
#: How the processes of the product are called in tests; others are servers and tools of the tests' own, which have to know.
PRODUCT = ("scangate", "console", "bridge", "report", "setup", "gateway")

Hit = namedtuple("Hit", "place kind")


def forms(secret):
    """The ways in which a text may be written: as it is, in JSON, percent-encoded, as HTML, in hexadecimal digits, in base64."""
    data = secret.encode()
    html = secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;").replace("'", "&#39;")
    found = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], urllib.parse.quote(secret, safe=""),
             urllib.parse.quote_plus(secret), html, data.hex(), base64.b64encode(data).decode().rstrip("="), base64.urlsafe_b64encode(data).decode().rstrip("=")}
    return {form.lower() for form in found if len(form) >= SHORTEST}


class Known:
    """What the worlds of a test know, by kind."""

    def __init__(self):
        self._forms = {}

    def add(self, kind, *secrets):
        """Takes texts, or bytes that are also searched for in hexadecimal digits and base64."""
        for secret in secrets:
            if isinstance(secret, bytes):
                raw = {secret.hex(), base64.b64encode(secret).decode().rstrip("=").lower()}
                self._forms.update((form, kind) for form in raw if len(form) >= SHORTEST)
            elif secret and len(secret.strip()) >= SHORTEST:
                self._forms.update((form, kind) for form in forms(secret.strip()))

    def __len__(self):
        return len(self._forms)

    def hits(self, place, text, names=False):
        """What is found in a text: each kind once; `names`: holders may be named there."""
        if isinstance(text, bytes):
            text = text.decode(errors="replace")
        small = text.lower()
        kinds = {kind for form, kind in self._forms.items() if (kind != NAMES or not names) and form in small}
        return [Hit(place, kind) for kind in sorted(kinds)]


def search(known, outputs, names=False):
    """All hits in outputs, by their places."""
    return [hit for place, text in outputs.items() for hit in known.hits(place, text, names)]


def told(hits):
    """Hits in words, without a word of what was found."""
    return "; ".join(f"{hit.place} tells a {hit.kind}" for hit in hits)


def of_page(head, page):
    """What a browser's answers bring that nobody else may be told: cookies, and the fields that forms are sent with."""
    cookies = re.findall(r"(?im)^set-cookie: [^=\r\n]+=([0-9a-f]{32,})", head)
    return {"cookie": cookies, "form token": re.findall(r'name="form" value="([0-9a-f]{32,})"', page)}
