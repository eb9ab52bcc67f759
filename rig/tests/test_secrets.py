"""The searcher itself: what a test's world knows is found wherever and however it is written, and is not told."""

import base64
import gzip
import importlib.machinery
import importlib.util
import io
import json
import socket
import ssl
import tarfile
import threading
import unittest
import urllib.request
import zipfile
import zlib
from pathlib import Path

import place
import secrets_told
from console import Console, Stream, request
from place import natively
from test_console import Receiver

#: One of each kind that a test may know.
KINDS = {"key": "planted-api-key-0123456789", "station's key": bytes(range(64, 96)), "token or key": "planted-token-89abcdef", "password": "Zäpfchen & 12",
         "broker's password": "planted-of-the-broker", "door screen's code": "ABCD-2345-EFGH-6789", "set-up code": "K7RT2QWX", "whole code": "PLANTED0SALE0000000000000000001",
         secrets_told.NAMES: "Zoë Morgan", "mail address": "zoe@holder.example", "cookie": "c0" * 32, "form token": "f0" * 32}
#: A PIN is a password of digits, which stand in longer numbers by chance.
PIN = "482915"


def document(words):
    """A PDF whose text is not to be seen in its bytes."""
    lines = b" ".join(b"(" + line.encode("cp1252") + b") Tj T*" for line in words.split("; "))
    page = zlib.compress(b"BT /F1 12 Tf 14 TL 20 700 Td " + lines + b" ET")
    parts = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
             b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
             b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(page), page), b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % at for at in places)
    return data + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (table, len(data))


def archives(text):
    """A text in each of the ways in which it may be packed, a bundle's for one."""
    tarred, zipped = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        member = tarfile.TarInfo("bundle/log.txt")
        member.size = len(text.encode())
        archive.addfile(member, io.BytesIO(text.encode()))
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bundle/log.txt", text)
    return {"tar.gz": tarred.getvalue(), "zip": zipped.getvalue(), "gz": gzip.compress(text.encode())}


@natively
class Searcher(unittest.TestCase):
    SECRET = 'correct "horse" & Zäpfchen'

    def test_what_is_planted_is_found_in_each_form_and_not_told(self):
        known = secrets_told.Known()
        known.add("password", self.SECRET)
        known.add("station's key", bytes(range(32)))
        known.add("name", "Zoë Morgan")
        for form in secrets_told.forms(self.SECRET):
            hits = secrets_told.search(known, {"console-1": f"2026 a line {form}, and more", "clean": "nothing"})
            self.assertEqual(hits, [("console-1", "password")], form)
            self.assertNotIn("horse", secrets_told.told(hits))
        for text in (bytes(range(32)).hex().upper(), base64.b64encode(bytes(range(32))).decode()):
            self.assertEqual(known.hits("x", text), [("x", "station's key")])
        self.assertEqual(known.hits("x", "Zo\\u00eb Morgan".encode()), [("x", "name")])
        self.assertEqual(known.hits("x", "zoë morgan", spared={secrets_told.NAMES}), [])
        self.assertEqual(known.hits("x", "a short …-0123 code"), [])

    def test_what_is_short_or_of_nobody_is_not_sought(self):
        known = secrets_told.Known()
        known.add("password", "", "abc", None)
        self.assertEqual(len(known), 0)


    def test_number_is_found_as_itself_and_not_within_another(self):
        known = secrets_told.Known()
        known.add("password", PIN)
        for text in (f"the PIN {PIN}.", f'{{"pin":"{PIN}"}}', f"password={PIN}&user=tom", PIN):
            self.assertEqual(known.hits("x", text), [("x", "password")], text)
        for text in (f"1{PIN}", f"{PIN}0", f"0.{PIN} s", f"a{PIN}"):
            self.assertEqual(known.hits("x", text), [], text)

    def test_what_belongs_to_a_browser_may_be_told_to_it_and_nobody_else(self):
        known, heard = secrets_told.Known(), secrets_told.Heard()
        hers, his = "a1" * 32, "b2" * 32
        page = b'<input type="hidden" name="form" value="%s">'
        signed_in = b"HTTP/1.1 200 OK\r\nSet-Cookie: __Host-scangate=" + hers.encode() + b"; Path=/\r\n\r\n" + page % (b"d4" * 32)
        asker = secrets_told.learn(known, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", signed_in)
        heard.take("answers", signed_in, asker)
        asked = b"GET / HTTP/1.1\r\nCookie: __Host-scangate=%s\r\n\r\n"
        heard.take("answers", page % (b"d4" * 32), secrets_told.learn(known, asked % hers.encode(), page % (b"d4" * 32)))
        self.assertEqual(heard.hits(known), [])
        heard.take("his answers", page % (b"d4" * 32), secrets_told.learn(known, asked % his.encode(), b"\r\n\r\n" + page % (b"d4" * 32)))
        self.assertEqual(heard.hits(known), [("his answers", "form token")])
        heard.take("a page", hers)
        self.assertIn(("a page", "cookie"), heard.hits(known))

    def test_what_is_packed_is_read(self):
        known = secrets_told.Known()
        known.add("password", self.SECRET)
        for kind, data in {**archives(f"a line with {self.SECRET}\n"), "pdf": document(self.SECRET)}.items():
            heard = secrets_told.Heard()
            self.assertEqual(known.hits("x", data), [], f"{kind} shows it as it is: this tests nothing")
            heard.take(kind, data)
            self.assertEqual(heard.hits(known), [(kind, "password")])

    def test_output_of_unit_tests_is_searched(self):
        path = Path(__file__).resolve().parents[2] / "scripts/unit"
        loader = importlib.machinery.SourceFileLoader("unit", str(path))
        unit = importlib.util.module_from_spec(importlib.util.spec_from_loader("unit", loader))
        loader.exec_module(unit)
        known = unit.fixtures()
        self.assertGreater(len(known), 100, "secrets of the tests' sources")
        room = unit.Room(Path("Tests/Faces/ConsoleTests"))
        room.said, room.count = "Test run with 1 test in 1 suite passed\nPOST with correct horse battery\n", 1
        known.add("password", "correct horse battery")
        room.judge(0, known)
        self.assertEqual(room.faults, ["ConsoleTests: what its tests print tells a password"])


@natively
class Planted(place.Case):
    """Each kind of secret, in each place where somebody is told something: whatever test it is in, that fails."""

    def setUp(self):
        super().setUp()
        for kind, secret in KINDS.items():
            self.rig.known.add(kind, secret)

    def words(self):
        return [secret.hex() if isinstance(secret, bytes) else secret for secret in KINDS.values()]

    def assert_found(self, where, but=()):
        """The test's end tells each kind there, and no word of one."""
        with self.assertRaises(AssertionError) as failure:
            self.clear()
        said = str(failure.exception)
        for kind in KINDS:
            (self.assertNotIn if kind in but else self.assertIn)(f"{where} tells a {kind}", said)
        for word in self.words():
            self.assertNotIn(word, said)
        self.rig.processes.clear()
        self.rig.heard.forget()

    def serve(self, *answers):
        """Somebody who answers each connection with the next of some texts; its port."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def run():
            for answer in answers:
                with listener.accept()[0] as taken:
                    taken.recv(65536)
                    taken.sendall(answer)

        threading.Thread(target=run, daemon=True).start()
        return listener.getsockname()[1]

    def console(self, *answers):
        self.rig.sh("install -d /run/planted")
        found = Console(self.rig, "/run/planted", "/run/planted/station.sock")
        found.address = ("127.0.0.1", self.serve(*answers))
        return found

    def test_line_of_a_log(self):
        for name in ("console-1", "bridge-1", "scangate-1", "report"):
            self.rig.put("\n".join(self.words()), "/run/rig/words")
            self.rig.spawn(name, "cat /run/rig/words").started.result(10)
            self.assert_found(name)

    def test_answer_over_http(self):
        text = "HTTP/1.1 200 OK\r\n\r\n" + json.dumps(self.words())
        self.console(text.encode()).exchange(request("/"))
        self.assert_found("the console's answers")

    def test_answer_that_is_a_file(self):
        text = b"HTTP/1.1 200 OK\r\n\r\n" + document("; ".join(self.words()))
        self.console(text).exchange(request("/reports/report.pdf"))
        self.assert_found("the console's answers")

    def test_event_of_a_stream(self):
        text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + " ".join(self.words()) + "\n\n"
        Stream(self.console(text.encode()), "events", "1", "/api/v1/events").ended.wait(10)
        self.assert_found("the console's stream")

    def test_alert(self):
        receiver = Receiver(self.rig)
        anyone = ssl.create_default_context()
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        urllib.request.urlopen(f"https://127.0.0.1:{receiver.port}/gate", "\n".join(self.words()).encode(), context=anyone).close()
        self.assert_found("an alert")

    def test_message_to_a_broker(self):
        # What somebody prints who hears everything there.
        self.rig.put(json.dumps({"topic": "scangate/x", "payload": self.words()}), "/run/rig/words")
        self.rig.spawn("watcher-1", "cat /run/rig/words").started.result(10)
        self.assert_found("watcher-1")

    def test_word_of_a_command(self):
        self.rig.put("\n".join(self.words()), "/run/rig/words")
        self.rig.sh("cat /run/rig/words # scangate doctor")
        self.assert_found("a command in a terminal", but=secrets_told.TERMINAL)

    def test_file_of_each_kind(self):
        self.rig.sh("install -d /run/planted")
        text = "; ".join(self.words())
        for name, data in {"report.csv": text.encode(), "bundle.txt": text.encode(), "report.pdf": document(text),
                           **{f"bundle.{kind}": data for kind, data in archives(text).items()}}.items():
            self.rig.put(data, f"/run/planted/{name}")
            self.assert_found(f"/run/planted/{name}")
            self.rig.sh(f"rm /run/planted/{name}")
        # The events' own file is staff's, and names who it is.
        self.rig.put(json.dumps(text), "/run/planted/events.jsonl")
        self.assert_found("/run/planted/events.jsonl", but={secrets_told.NAMES})
        self.rig.sh("rm /run/planted/events.jsonl")
