"""The searcher itself: what a test's world knows is found wherever and however it is written, and is not told."""

import base64
import unittest

import place
import secrets_told
from place import natively


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
        self.assertEqual(known.hits("x", "zoë morgan", names=True), [])
        self.assertEqual(known.hits("x", "a short …-0123 code"), [])

    def test_what_is_short_or_of_nobody_is_not_sought(self):
        known = secrets_told.Known()
        known.add("password", "", "abc", None)
        self.assertEqual(len(known), 0)


@natively
class Planted(place.Case):
    def test_line_of_a_log_fails_whatever_test_it_was(self):
        self.rig.known.add("token or key", "planted-0123456789")
        self.rig.spawn("console-1", "echo a line with planted-0123456789 in it").started.result(10)
        with self.assertRaises(AssertionError) as failure:
            self.clear()
        self.assertIn("console-1 tells a token or key", str(failure.exception))
        self.assertNotIn("planted", str(failure.exception))
        self.rig.processes.clear()
