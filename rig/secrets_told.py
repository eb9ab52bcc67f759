"""Whether what tests have put out holds what nobody may be told: keys, tokens, passwords, cookies, whole codes, holders' names.

One place for all tests: a world tells what it knows (`Known.add`) and hands over whatever anybody is told (`Heard.take`), and at the end of each test
everything that was collected is searched, whatever the test was about. What is found is told by place and kind, and never by a word of it.
"""

import base64
import fnmatch
import io
import json
import os
import re
import subprocess
import tarfile
import urllib.parse
import zipfile
import zlib
from collections import namedtuple

#: Shorter ones stand in other words by chance.
SHORTEST = 6
#: Kinds that are told where a file says `names: true`.
NAMES = "name"
#: Kinds that a terminal of root's is told: a door screen's code is made there, and who asks for a ticket or for reports of one has its code.
TERMINAL = {"whole code", "door screen's code", "set-up code", "mail address", NAMES}
#: How the processes of the product are called in tests, and who hears everything at a broker; others are servers and tools of the tests' own,
#: which have to know.
PRODUCT = ("scangate", "console", "bridge", "report", "setup", "gateway", "watcher")
#: Files that are there to hold secrets or codes: the station's, those of whoever is to be asked, and what a test has put there itself.
KEPT = ("*.key", "*.token", "*.password", "*/seal-key", "*/console/*", "*/mqtt/*", "*/identity.pem", "*-key.pem", "*/venue*", "*/tickets*.csv", "*/tickets-*.sqlite*", "*/rig/*",
        "*/broker/*", "*/program/*", "*/etc/*", "*/class/*", "*/tmp/*", "*/station/*")

#: Files of the machine's own staff, which name holders (docs/events.md).
NAMING = ("*.jsonl",)

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
        self._forms, self._owners = {}, {}

    def add(self, kind, *secrets, owners=()):
        """Takes texts, or bytes that are also searched for in hexadecimal digits and base64.

        `owners` may be told it: what a browser was given is no secret to that browser. Who was told first is its owner for good.
        """
        for secret in secrets:
            if isinstance(secret, bytes):
                raw = {secret.hex(), base64.b64encode(secret).decode().rstrip("=").lower()}
                written = {form for form in raw if len(form) >= SHORTEST}
            else:
                written = forms(secret.strip()) if secret and len(secret.strip()) >= SHORTEST else ()
            for form in written:
                if form not in self._forms:
                    self._forms[form], self._owners[form] = kind, set(owners)

    def __len__(self):
        return len(self._forms)

    def hits(self, place, text, spared=(), asker=()):
        """What is found in a text that was told to somebody: each kind once, but those that are `spared`, and what the `asker` owns."""
        if isinstance(text, bytes):
            text = text.decode(errors="replace")
        small = text.lower()
        kinds = {kind for form, kind in self._forms.items()
                 if kind not in spared and form in small and stands(form, small) and self._owners[form].isdisjoint(asker)}
        return [Hit(place, kind) for kind in sorted(kinds)]


def stands(form, text):
    """Whether it is there as itself: a PIN is not found in a longer number."""
    return not form.isdigit() or re.search(rf"(?<![0-9a-f.]){form}(?![0-9a-f])", text) is not None


class Heard:
    """What was told to whoever asked: answers over the network, messages, what a browser fetched, what commands printed."""

    def __init__(self):
        self._said = {}

    def take(self, place, said, asker=(), spared=()):
        """Keeps what was told there. `asker`: what it may be known by to whom something belongs; `spared`: kinds that are told there."""
        data = said.encode(errors="replace") if isinstance(said, str) else bytes(said)
        self._said.setdefault((place, frozenset(asker), frozenset(spared)), []).append(data)

    def hits(self, known, spared=()):
        found = []
        for (place, asker, more), said in list(self._said.items()):
            whole = b"\n".join([*said, *map(read, (each for each in said if not is_text(each)))])
            found += known.hits(place, whole, more | set(spared), asker)
        return list(dict.fromkeys(found))

    def places(self):
        return {place for place, _, _ in self._said}

    def forget(self):
        self._said.clear()


def is_text(data):
    """Whether nothing in it is written in a way of its own."""
    return not any(mark in data[:4096] for mark in (b"%PDF-", b"\x1f\x8b", b"PK\x03\x04", b"ustar"))


def read(data):
    """Everything that a file says whose text is not to be seen in its bytes: PDF, gzip, tar, zip, and what those hold; the names of its parts, too."""
    if (begin := data[:4096].find(b"%PDF-")) >= 0:
        return of_pdf(data[begin:])
    try:
        if data[:2] == b"\x1f\x8b":
            inner = zlib.decompressobj(31).decompress(data)
            return inner + read(inner)
        if data[:4] == b"PK\x03\x04":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                parts = [(name, archive.read(name)) for name in archive.namelist()]
        elif data[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                parts = [(member.name, archive.extractfile(member).read()) for member in archive if member.isfile()]
        else:
            return b""
    except (zlib.error, zipfile.BadZipFile, tarfile.TarError):
        return b""
    return b"\n".join(name.encode(errors="replace") + b"\n" + part + read(part) for name, part in parts)


def of_pdf(data):
    """The text of a document, and what it says of itself."""
    said = b""
    for command in (["pdftotext", "-raw", "-", "-"], ["pdfinfo", "-"]):
        ran = subprocess.run(command, input=data, capture_output=True)
        if ran.returncode != 0:
            raise ValueError(f"{command[0]} cannot read a document: {ran.stderr.decode(errors='replace')[:200]}")
        # A long word may stand in two lines.
        said += ran.stdout + ran.stdout.replace(b"-\n", b"").replace(b"\n", b"")
    return said


def files(*folders):
    """What lies in folders, by path; without what is there to be kept secret."""
    found = {}
    for folder in folders:
        for at, _, names in os.walk(folder):
            for path in (os.path.join(at, name) for name in names):
                if os.path.isfile(path) and not os.path.islink(path) and not any(fnmatch.fnmatch(path, kept) for kept in KEPT):
                    with open(path, "rb") as file:
                        data = file.read()
                    found[path] = data + (b"" if is_text(data) else b"\n" + read(data))
    return found


def search(known, outputs, spared=()):
    """All hits in outputs, by their places."""
    return [hit for place, text in outputs.items()
            for hit in known.hits(place, text, {*spared, NAMES} if any(fnmatch.fnmatch(place, each) for each in NAMING) else spared)]


def told(hits):
    """Hits in words, without a word of what was found."""
    return "; ".join(f"{hit.place} tells a {hit.kind}" for hit in hits)


def is_ours(script):
    """Whether a script runs a program of ours whose words somebody reads; keys are no words of it."""
    return re.search(r"(?m)scangate(-report)? (?!venue)", script) is not None and ".key" not in script and "seal-key" not in script


def shown(request):
    """The values of the cookies that a request shows: by them a browser is known."""
    lines = re.findall(rb"(?im)^cookie: ([^\r\n]*)", request.partition(b"\r\n\r\n")[0])
    return {value.strip().decode(errors="replace").lower() for line in lines for value in re.findall(rb"=([^;]*)", line)}


def of_page(head, page):
    """What a browser's answers bring that nobody else may be told: cookies, and the fields that forms are sent with."""
    cookies = re.findall(r"(?im)^set-cookie: [^=\r\n]+=([0-9a-z_-]{24,})", head)
    return {"cookie": cookies, "form token": re.findall(r'name="(?:form|token)" value="([0-9a-z_-]{24,})"', page)}


def learn(known, request, answer, jar=()):
    """Learns from an exchange what belongs to whoever asked alone; returns what that is known by, and was before (`jar`)."""
    head, _, page = answer.partition(b"\r\n\r\n")
    found = of_page(head.decode(errors="replace").lower(), page.decode(errors="replace").lower())
    asker = shown(request) | set(found["cookie"]) | set(jar)
    for kind, secrets in found.items():
        known.add(kind, *secrets, owners=asker)
    return asker
