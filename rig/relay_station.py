"""Between a console and its station: passes everything on, and answers one order by itself, for a picture of a camera, of which networks of a test's own have none."""

import os
import socket
import struct
import subprocess
import threading

from picture import QUIET, Picture, modules

WIDTH, HEIGHT = 640, 360
#: Types of messages, and of an order's outcome; see `StationMessage+Wire.swift`.
ORDER, ANSWER, PICTURE = 4, 6, 5
LONGEST = 70_000


def text(words):
    data = words.encode()
    return struct.pack("<H", len(data)) + data


class View:
    """What a camera sees, as the station tells it."""

    def __init__(self, code="", light="good", brightness=140, frozen=False, jpeg=None):
        shown = Picture.of(*[code] if code else [], width=WIDTH, height=HEIGHT)
        self.jpeg = jpeg if jpeg is not None else subprocess.run(
            ["cjpeg", "-grayscale", "-quality", "80"], input=b"P5 %d %d 255\n" % (WIDTH, HEIGHT) + shown.pixels, stdout=subprocess.PIPE, check=True).stdout
        self.light, self.brightness, self.frozen, self.seen = light, brightness, frozen, []
        if code:
            rows = len(modules(code))
            scale = min(WIDTH, HEIGHT) * 3 // 4 // rows
            left, top = (WIDTH - scale * rows) // 2 + scale * QUIET, (HEIGHT - scale * rows) // 2 + scale * QUIET
            side = scale * (rows - 2 * QUIET)
            #: The code's corners.
            self.corners = [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]
            self.seen = [("qr", f"…{code[-4:]}", self.corners)]

    @property
    def bytes(self):
        told = struct.pack("<H", len(self.jpeg)) + self.jpeg + struct.pack("<HH", WIDTH, HEIGHT) + text("1280x720 MJPG")
        told += struct.pack("<q?H", 41_000_000, True, 299) + text(self.light) + struct.pack("<B?H", self.brightness, self.frozen, len(self.seen))
        for kind, code, corners in self.seen:
            told += text(kind) + text(code) + struct.pack("<H", len(corners)) + b"".join(struct.pack("<HH", *corner) for corner in corners)
        return told


class RelayStation:
    """Listens at `path` for whoever looks at the station at `station`. While `view` is None, all orders are the station's."""

    def __init__(self, path, station):
        self.path, self.station, self.view, self.asked = path, station, None, 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.bind(path)
        os.chmod(path, 0o666)
        self._socket.listen(16)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                far.connect(self.station)
            except OSError:
                near.close()
                continue
            for one, other, look in ((near, far, True), (far, near, False)):
                threading.Thread(target=self._pass, args=(one, other, look), daemon=True).start()

    def _pass(self, one, other, look):
        try:
            while packet := one.recv(LONGEST):
                if look and self.view and (answer := self._answer(packet)):
                    one.send(answer)
                else:
                    other.send(packet)
        except OSError:
            pass
        for each in (one, other):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _answer(self, packet):
        if packet[0] != ORDER:
            return None
        at = 17
        words = []
        for gap in (0, 0, 8):
            at += gap
            (length,) = struct.unpack_from("<H", packet, at)
            words.append(packet[at + 2:at + 2 + length])
            at += 2 + length
        if words[2] != b"picture":
            return None
        self.asked += 1
        return bytes([ANSWER]) + packet[1:17] + bytes([PICTURE]) + self.view.bytes

    def close(self):
        self._socket.close()
