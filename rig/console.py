"""`scangate console` beside a station, and whoever asks it over the network: in one form or another, with one token or another, well-behaved or not.

Natively alone: who asks is this process, in the test's own network.
"""

import json
import socket
import ssl
import subprocess
import threading
from collections import namedtuple

import secrets_told
from rig import PATIENCE, MachineError
from venue import SCANGATE

ADDRESS, PORT = "127.0.0.1", 8088
#: Who it runs as; it may connect to the station's socket as one of its group.
USER = "scangate-console"
#: A token for each scope, and one for all.
TOKENS = {name: f"{name}-0123456789abcdef0123456789abcdef" for name in ("metrics", "events", "orders", "everything")}
SCOPES = {"metrics": ["metrics"], "events": ["events"], "orders": ["orders"], "everything": ["metrics", "events", "orders"]}

Answer = namedtuple("Answer", "status headers body")


def become(rig, user):
    """The words before a command that runs as a user of the test's own, one of the station's group."""
    rig.sh(f"getent passwd {user} > /dev/null || {{ number=$((61500 + $(wc -l < /etc/passwd))); echo {user}:x:$number:$number::/:/bin/false >> /etc/passwd; "
           f"echo {user}:x:$number: >> /etc/group; }}")
    return f"setpriv --reuid={user} --regid=gate --clear-groups"


class Gone(Exception):
    """The other end has closed the connection without an answer."""


def section(orders=(), listen=f"{ADDRESS}:{PORT}", more=""):
    """The console's section of the station's file."""
    tokens = ", ".join(f"{name}: [{', '.join(scopes)}]" for name, scopes in SCOPES.items())
    return f'console: {{ listen: "{listen}", orders: [{", ".join(orders)}], tokens: {{ {tokens} }}{more and f", {more}"} }}\n'


def answer_of(data):
    """An answer as it came, up to the end of the connection."""
    head, separator, body = data.partition(b"\r\n\r\n")
    if not separator or not head.startswith(b"HTTP/1.1 "):
        raise Gone(data)
    status, *lines = head.split(b"\r\n")
    headers = {name.lower().decode(): value.strip().decode("latin-1") for name, _, value in (line.partition(b":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        rest, body = body, b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            body, rest = body + rest[:int(size, 16)], rest[int(size, 16) + 2:]
    return Answer(int(status.split()[1]), headers, body)


def request(path, method="GET", token=None, body=None, host=None, headers=(), close=True):
    """A request as bytes; `body` may be bytes, or what becomes JSON. Nothing in it is escaped."""
    if body is not None and not isinstance(body, bytes):
        body, headers = json.dumps(body).encode(), [("Content-Type", "application/json"), *headers]
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'{ADDRESS}:{PORT}'}", *(f"{name}: {value}" for name, value in headers)]
    if token:
        lines.append(f"Authorization: Bearer {TOKENS.get(token, token)}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    if close:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


class Console:
    """The console's process, and the way to it. Every byte that it has answered is in `heard`."""

    def __init__(self, rig, folder, socket, authority=None):
        """`authority`: the file by which its certificate is known, where it speaks TLS."""
        self._rig, self._folder, self._socket = rig, folder, socket
        self.address, self.authority, self.heard, self.runs = (ADDRESS, PORT), authority, [], []
        # It reads who may sign in as one of its own group.
        self.credentials, self._as_user = f"{folder}/console", become(rig, USER).replace("--clear-groups", f"--groups={USER}")
        self.access = f"{folder}/access"
        rig.sh(f"install -d -m 700 -o {USER} {self.credentials} {folder}/console-state")
        for name, token in TOKENS.items():
            self.entrust(name, f"{token}\n")

    def entrust(self, name, content):
        """Gives it a file of secrets."""
        if "BEGIN CERT" not in content:
            self._rig.known.add("token or key", content)
        self._rig.put(content, f"{self.credentials}/{name}")
        self._rig.sh(f"chown {USER} {self.credentials}/{name}; chmod 600 {self.credentials}/{name}")

    @property
    def process(self):
        return self.runs[-1]

    def start(self):
        """Starts it, for the first time or anew; returns when it takes connections."""
        self.runs.append(self._rig.spawn(
            f"console-{len(self.runs) + 1}",
            f"{self._as_user} env STATE_DIRECTORY={self._folder}/console-state {SCANGATE} console --config {self._folder}/scangate.yaml "
            f"--credentials {self.credentials} --access {self.access} --station-socket {self._socket}"))
        self._rig.until(lambda: self.alive() and self.listens(), what="a console that listens")

    def alive(self):
        if not self.process.running():
            raise MachineError(f"the console has ended:\n{self.process.log()}")
        return True

    def listens(self):
        try:
            self.connect(1).close()
        except OSError:
            return False
        return True

    def until_ready(self):
        """Waits until it knows how the station is."""
        self._rig.until(lambda: self.alive() and self.ask("/readyz").status == 200, what="a console that is ready")

    def signal(self, name):
        self._rig.kill(self.process.pid, name)

    def kill(self):
        """Ends it without a word."""
        self.signal("KILL")
        self.process.started.result(PATIENCE)

    def log(self):
        """Everything that it has said, in all its runs."""
        return "".join(process.log() for process in self.runs)

    # Whoever asks

    def connect(self, timeout=PATIENCE, buffer=None):
        """A connection, in TLS where it speaks that."""
        connection = socket.socket()
        connection.settimeout(timeout)
        if buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        connection.connect(self.address)
        if not self.authority:
            return connection
        return ssl.create_default_context(cafile=self.authority).wrap_socket(connection, server_hostname=self.address[0])

    def exchange(self, data, timeout=PATIENCE):
        """Sends these bytes, whatever they are, and reads to the end of the connection."""
        with self.connect(timeout) as connection:
            try:
                connection.sendall(data)
            except ConnectionError:
                pass  # it may have had enough of them; what it said of that is there
            return self.read(connection, data)

    def read(self, connection, asked=b""):
        """Everything up to the connection's end; what was asked says by its cookies who did."""
        said = b""
        while True:
            try:
                part = connection.recv(65536)
            except ConnectionError:
                part = b""
            if not part:
                break
            said += part
        self.heard.append(said)
        self._rig.heard.take("the console's answers", said, secrets_told.learn(self._rig.known, asked, said))
        return said

    def ask(self, path, token=None, **how):
        """What it answers to a request; see `request`."""
        return answer_of(self.exchange(request(path, token=token, **how)))

    def json(self, path, token="everything", status=200, **how):
        """The same, which must be JSON and of this status."""
        answer = self.ask(path, token, **how)
        assert answer.status == status, f"{path}: {answer}"
        return json.loads(answer.body)

    def stream(self, token="events", after=None, path="/api/v1/events"):
        """Its events from now on, or after one that was told before."""
        return Stream(self, token, after, path)

    def fingerprint(self):
        """Of the certificate that it shows: SHA-256, in hexadecimal digits."""
        shown = ssl.get_server_certificate(self.address)
        return subprocess.run(["openssl", "x509", "-noout", "-fingerprint", "-sha256"], input=shown, check=True, capture_output=True,
                              text=True).stdout.strip().partition("=")[2].replace(":", "").lower()


#: A message of a stream: its id, its kind, and its text.
Message = namedtuple("Message", "id kind text")


class Stream:
    """A stream of events (server-sent), read by a thread of its own."""

    def __init__(self, console, token, after, path):
        self._console, self._connection = console, console.connect()
        self.answer, self.messages, self.comments, self.retry, self.ended, self.id = None, [], 0, None, threading.Event(), after
        headers = [("Accept", "text/event-stream"), *([("Last-Event-ID", after)] if after else [])]
        self._connection.sendall(request(path, token=token, headers=headers, close=False))
        threading.Thread(target=self._read, daemon=True).start()
        console._rig.until(lambda: self.answer or self.ended.is_set(), what="the head of a stream")
        assert self.answer and self.answer.status == 200, self.answer
        if not after:
            # Nothing is missed from then on.
            console._rig.until(lambda: self.events("presence") or self.ended.is_set(), what="whether the station is there")

    def _read(self):
        said, body, begun = b"", b"", False
        try:
            while part := self._connection.recv(65536):
                said += part
                self._console.heard.append(part)
                self._console._rig.heard.take("the console's stream", part)
                if not begun:
                    if b"\r\n\r\n" not in said:
                        continue
                    head, _, said = said.partition(b"\r\n\r\n")
                    self._chunked = b"chunked" in head.lower()
                    begun, self.answer = True, answer_of(head.replace(b"chunked", b"") + b"\r\n\r\n")
                data, said = self._plain(said)
                *blocks, body = (body + data).replace(b"\r\n", b"\n").split(b"\n\n")
                for block in blocks:
                    self._take(block.decode())
        except (OSError, ValueError):
            pass  # whoever reads has closed it, or it was cut off
        self.ended.set()

    def _plain(self, said):
        """What is whole of the chunks in these bytes, and the rest."""
        if not self._chunked:
            return said, b""
        data = b""
        while b"\r\n" in said:
            size, _, rest = said.partition(b"\r\n")
            count = int(size, 16)
            if len(rest) < count + 2:
                break
            data, said = data + rest[:count], rest[count + 2:]
        return data, said

    def _take(self, block):
        fields = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            if not name:
                self.comments += 1
                continue
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        self.retry = fields.get("retry", self.retry)
        self.id = fields.get("id", self.id)
        if "data" in fields:
            self.messages.append(Message(fields.get("id"), fields.get("event", "message"), fields["data"]))

    def events(self, *types):
        """The station's events that it has told, of some types or all."""
        found = [json.loads(message.text) for message in list(self.messages)]
        return [event for event in found if not types or event.get("type") in types]

    def close(self):
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.ended.wait(PATIENCE)
        self._connection.close()
