"""The installed console with its pages: who signs in over TLS lets somebody in and takes it back, and the unit of reports sees a journal and nothing else."""

import csv
import io
import json
import re
import urllib.parse
from collections import Counter

import secrets_told
from console import request
from rig import PATIENCE
from service import GATEWAY, NORTH_PULSE, configuration
from sets import release
from test_sign_in import SESSION, Browser
from test_station_service import StationCase

CONSOLE, REPORT, REPORT_SOCKET = "scangate-console.service", "scangate-report.service", "scangate-report.socket"
HOST, PORT = "localhost", 8443
ORIGIN = f"https://{HOST}:{PORT}"
#: What the console has made for itself, as whoever trusts it keeps it.
CERTIFICATE = "/run/rig/console.pem"
USERS, SCREENS = "/etc/scangate-console/users", "/etc/scangate-console/devices"
PASSWORDS = {"anna": "correct horse", "olga": "Zäpfchen 12", "tom": "battery staple"}
#: A hash takes an emulated processor seconds.
SIGNING_IN = 4 * PATIENCE
#: What docs/installation.md says at most, of 10.
EXPOSED = {CONSOLE: 1.1, REPORT: 1.5}


class Secure(Browser):
    """Cookies and forms as a browser has them, over TLS: the console's own certificate is checked."""

    def __init__(self, rig):
        super().__init__(self)
        self.rig = rig

    def ask(self, path, method="GET", form=None, origin=ORIGIN, headers=()):
        return super().ask(path, method, form, origin, headers)

    @staticmethod
    def console_request(path, method, form, headers):
        body = None if form is None else urllib.parse.urlencode(form).encode()
        return request(path, method=method, body=body, host=f"{HOST}:{PORT}", headers=headers)

    def exchange(self, asked):
        self.rig.put(asked, "/run/rig/request")
        self.rig.sh(f"openssl s_client -connect 127.0.0.1:{PORT} -servername {HOST} -verify_hostname {HOST} -CAfile {CERTIFICATE} -verify_return_error "
                    "-quiet < /run/rig/request > /run/rig/answer 2> /run/rig/tls || { cat /run/rig/tls; exit 1; }", timeout=SIGNING_IN)
        answer = self.rig.get("/run/rig/answer")
        self.rig.heard.take("the console's answers", answer, secrets_told.learn(self.rig.known, asked, answer))
        return answer


class PagesServiceCase(StationCase):
    """Gateway and console as their units start them, for people, over TLS with a certificate that the console makes itself."""

    STAFF = (("anna", "attendant"), ("olga", "organiser"))

    @staticmethod
    def configured():
        return configuration() + f'console: {{ listen: "0.0.0.0:{PORT}", pages: true, orders: [present, annul] }}\n'

    @classmethod
    def start(cls):
        rig = super().start()
        for unit in (CONSOLE, REPORT):
            # As the gateway's own: the processor is emulated.
            rig.sh(f"install -d /etc/systemd/system/{unit}.d")
            rig.put("[Service]\nTimeoutStartSec=150\nWatchdogSec=0\n", f"/etc/systemd/system/{unit}.d/emulated.conf")
        rig.sh(f"systemctl daemon-reload; systemctl start {REPORT_SOCKET}", timeout=120)
        for name, role in cls.STAFF:
            cls.users(rig, f"add {name} --role {role}", PASSWORDS[name])
        rig.sh(f"systemctl restart {CONSOLE}", timeout=160)
        # What a person would look at and accept.
        rig.until(lambda: rig.ok(f": < /dev/tcp/127.0.0.1/{PORT}"), PATIENCE, "a console that listens")
        rig.sh(f"openssl s_client -connect 127.0.0.1:{PORT} -servername {HOST} < /dev/null 2> /dev/null | openssl x509 > {CERTIFICATE}", timeout=120)
        return rig

    @staticmethod
    def users(rig, words, password=""):
        """`scangate console user …`, as root."""
        rig.known.add("password", password)
        rig.put(f"{password}\n", "/run/rig/password")
        return rig.sh(f"scangate console user {words} < /run/rig/password; rm /run/rig/password", timeout=SIGNING_IN)

    def signed_in(self, name):
        browser = Secure(self.rig)
        self.assertEqual(browser.sign_in(name, PASSWORDS[name]), 303, browser.page)
        return browser

    def order(self, browser, kind, **fields):
        """Sends the form of an order as its page has it; returns the page that tells what became of it."""
        self.assertEqual(browser.ask("/attendant/north"), 200)
        (form,) = [form for form in re.findall(r'<form method="post" class="order">.*?</form>', browser.page, re.S) if f'value="{kind}"' in form]
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
        self.assertEqual(browser.ask("/attendant/north", "POST", {**hidden, **fields}), 303, browser.page)
        self.assertEqual(browser.ask(browser.location), 200)
        return re.search(r'<section class="outcome.*?</section>', browser.page, re.S)[0]

    def sees(self, unit, path):
        """What a unit's process finds there: a folder's names, or how long a file is that can be had; None where it has nothing."""
        pid = self.rig.main_pid(unit)
        user = self.rig.sh(f"stat -c %u /proc/{pid}").strip()
        groups = self.rig.sh(f"grep ^Groups: /proc/{pid}/status").split()[1:]
        enter = f"nsenter -t {pid} -m setpriv --reuid={user} {'--groups=' + ','.join(groups) if groups else '--clear-groups'} "
        said = self.rig.sh(f"""{enter} bash -c 'if [ -d {path} ]; then ls -A {path}; elif [ -f {path} ]; then wc -c < {path}; else exit 1; fi' 2> /dev/null && echo had""", check=False)
        return said.split()[:-1] if said.endswith("had\n") else None

    def assert_exposure(self, unit):
        said = self.rig.sh(f"systemd-analyze security --no-pager {unit}", timeout=120)
        found = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
        self.assertLessEqual(float(found[1]), EXPOSED[unit], said)


@release
class People(PagesServiceCase):
    def test_typed_code_is_admitted_taken_back_and_admitted_again(self):
        self.assertEqual(self.rig.sh(f"stat -c '%a %U %G' {USERS} $(dirname {USERS})").splitlines(), ["640 root scangate-console", "750 root scangate-console"])
        stranger = Secure(self.rig)
        self.assertEqual(stranger.ask("/attendant/north"), 303)
        anna = self.signed_in("anna")
        (cookie,) = [line.decode() for line in anna.set if line.startswith(f"{SESSION}=".encode())]
        for word in ("Path=/", "Secure", "HttpOnly", "SameSite=Strict"):
            self.assertIn(word, cookie.split("; "))

        code = self.code()
        outcome = self.order(anna, "present", code=code)
        self.whole_pulses("RELAY0", NORTH_PULSE, 1)
        self.assertIn("admit", outcome)
        self.assertNotIn(code, anna.page)
        self.assertEqual(self.booked().count(code), 1)
        # A form that was sent without its page's field does nothing, and so does one from elsewhere.
        self.assertEqual(anna.ask("/attendant/north", "POST", {"order": "annul", "id": "1"}), 403)
        form = anna.token("/sessions")
        self.assertEqual(anna.ask("/attendant/north", "POST", {"order": "annul", "id": "2", "form": form}, "https://evil.example"), 403)
        self.order(anna, "annul")
        self.rig.type(0, code)
        self.whole_pulses("RELAY0", NORTH_PULSE, 2)
        self.assertEqual(self.rig.edges("RELAY1", self.since), [], "the other gate")
        given = [json.loads(line) for line in self.rig.sh("scangate orders --json", timeout=120).splitlines()][-2:]
        self.assertEqual([(order["order"], order["outcome"]) for order in given], [("present", "done"), ("annul", "done")])

        # Whoever gets another password is out at once, and nothing was told to a log.
        cookie = anna.cookies[SESSION]
        self.users(self.rig, "password anna", "another horse")
        self.assertEqual(anna.ask("/attendant/north"), 303)
        self.assertEqual(anna.location, "/sign-in?next=%2Fattendant%2Fnorth")
        said = "\n".join(self.rig.journal(CONSOLE) + self.rig.journal(GATEWAY))
        for secret in (*PASSWORDS.values(), "another horse", code, cookie, form):
            self.assertNotIn(secret, said)
        self.users(self.rig, "password anna", PASSWORDS["anna"])

    def test_console_has_its_copies_and_the_users_and_no_more(self):
        pid = self.rig.main_pid(CONSOLE)
        spaces = {self.rig.sh(f"readlink /proc/{number}/ns/user").strip() for number in (1, pid)}
        self.assertEqual(len(spaces), 2, "its users are its own")
        self.assertEqual(self.rig.sh(f"stat -c %U /proc/{pid}").strip(), "scangate-console")
        self.assertEqual(self.rig.sh(f"grep CapEff /proc/{pid}/status").split()[1].strip("0"), "")
        self.assertGreater(int(self.sees(CONSOLE, USERS)[0]), 100)
        self.assertIsNotNone(self.sees(CONSOLE, "/run/credentials/scangate-console.service/scangate.yaml"))
        for path in ("/etc/scangate", "/etc/scangate/console", "/etc/scangate/keys", "/var/lib/scangate", "/var/lib/scangate/seal-key", "/var/lib/scangate-outputs"):
            self.assertIn(self.sees(CONSOLE, path), (None, []), path)
        kept = self.rig.sh("stat -c '%a %U %G' /var/lib/scangate-console/identity.pem").strip()
        self.assertEqual(kept, "600 scangate-console scangate-console")
        # Who compares the fingerprint on the machine has what the network shows.
        shown = self.rig.sh(f"openssl x509 -noout -fingerprint -sha256 -in {CERTIFICATE}").strip().partition("=")[2]
        self.assertIn(shown, self.rig.sh("scangate console fingerprint", timeout=120))
        self.assert_exposure(CONSOLE)


@release
class Reports(PagesServiceCase):
    def test_report_is_the_journal_and_its_unit_sees_nothing_else(self):
        self.assert_admits()
        used = self.code()
        self.rig.type(0, used)
        self.whole_pulses("RELAY0", NORTH_PULSE, 2)
        self.rig.type(0, used)
        self.said("already used|alreadyUsed")
        self.rest()

        self.rig.sh(f"systemctl stop {REPORT}")
        self.assertEqual((self.rig.unit(REPORT, "ActiveState"), self.rig.unit(REPORT_SOCKET, "ActiveState")), ("inactive", "active"))
        self.assertEqual(self.rig.sh("stat -c '%F %U %G %a' /run/scangate-report.sock").strip(), "socket scangate scangate-console 660")
        said = self.rig.sh("scangate report --from 2020-01-01T00:00 --until 2099-01-01T00:00 --csv /run/rig/report.csv 2>&1", timeout=SIGNING_IN)
        self.assertTrue(self.rig.is_active(REPORT), said)
        report = self.rig.get("/run/rig/report.csv")
        lines = list(csv.DictReader(io.StringIO(report.decode("utf-8-sig"), newline="")))

        verdicts = {"admit": "admitted", "refuse": "refused", "undecided": "undecided"}
        scans = [json.loads(line) for line in self.rig.sh("scangate journal export --format json 2> /dev/null", timeout=120).splitlines()]
        self.assertGreaterEqual(len(scans), 3)
        for table in ("gate", "decided_by"):
            wanted = Counter((scan[table], verdicts[scan["verdict"]]) for scan in scans)
            found = Counter({(line[table], line["what"]): int(line["count"]) for line in lines if line["table"] == table and line["what"] != "annulled"})
            self.assertEqual(found, wanted, table)
        orders = [json.loads(line) for line in self.rig.sh("scangate orders --json", timeout=120).splitlines()]
        annulled = [order for order in orders if (order["order"], order["outcome"]) == ("annul", "done")]
        self.assertEqual(sum(int(line["count"]) for line in lines if (line["table"], line["what"]) == ("gate", "annulled")), len(annulled))
        self.assertNotIn(used, report.decode())

        # The organiser's page has the same, by its own user.
        olga = self.signed_in("olga")
        self.assertEqual(olga.ask("/organiser/report?from=2020-01-01T00:00&until=2099-01-01T00:00&form=csv"), 200, olga.page)
        self.assertIn("text/csv", olga.head)
        self.assertEqual(list(csv.DictReader(io.StringIO(olga.page.lstrip("\ufeff"), newline=""))), lines)
        self.assertEqual(Secure(self.rig).ask("/organiser/report?from=2020-01-01T00:00&until=2099-01-01T00:00&form=csv"), 303)

        self.assertIsNotNone(self.sees(REPORT, "/var/lib/scangate/journal.sqlite"), "the journal it has")
        self.rig.sh("test -s /var/lib/scangate/seal-key")
        for path in ("seal-key", "credentials", "records"):
            self.assertIn(self.sees(REPORT, f"/var/lib/scangate/{path}"), (None, []), path)
        for path in ("/etc/scangate/keys", "/etc/scangate/console", "/etc/scangate-console", "/run/scangate", "/var/lib/scangate-console"):
            self.assertIn(self.sees(REPORT, path), (None, []), path)
        pid = self.rig.main_pid(REPORT)
        self.assertEqual(re.findall(r"^ *(\w+):", self.rig.sh(f"cat /proc/{pid}/net/dev"), re.M), ["lo"])
        self.assertNotEqual(*(self.rig.sh(f"readlink /proc/{number}/ns/net") for number in (1, pid)))
        self.assert_exposure(REPORT)
