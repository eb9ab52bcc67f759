"""What cameras are shown: grey pictures with QR codes, as frames of the formats that cameras have."""

import subprocess
from dataclasses import dataclass

#: A wall behind the code: neither black nor white.
WALL = 0xB0
#: White around a code, in modules; a code without it may be missed.
QUIET = 4


class PictureError(Exception):
    """The picture cannot be made so."""


@dataclass(frozen=True)
class Picture:
    """Grey pixels row by row, 0 (black) to 255."""
    width: int
    height: int
    pixels: bytes

    @classmethod
    def of(cls, *codes, width=640, height=480):
        """QR codes side by side, each in the middle of its share of the picture and as large as fits well; the bare wall if there is none."""
        pixels = bytearray([WALL]) * (width * height)
        for index, code in enumerate(codes):
            rows = modules(code)
            share = width // len(codes)
            scale = min(share, height) * 3 // 4 // len(rows)
            if scale < 3:
                raise PictureError(f"{len(codes)} codes like {code!r} are too much for {width} x {height} pixels")
            side = scale * len(rows)
            left, top = index * share + (share - side) // 2, (height - side) // 2
            for y in range(side):
                line = b"".join(bytes([0x10 if dark else 0xF0]) * scale for dark in rows[y // scale])
                start = (top + y) * width + left
                pixels[start:start + side] = line
        return cls(width, height, bytes(pixels))

    def frame(self, fourcc):
        """The picture as a camera sends it: GREY, YUYV, or MJPG with the colour halved as most have it."""
        if fourcc == "GREY":
            return self.pixels
        if fourcc == "YUYV":
            frame = bytearray([0x80]) * (2 * len(self.pixels))
            frame[::2] = self.pixels
            return bytes(frame)
        if fourcc == "MJPG":
            colours = bytearray(3 * len(self.pixels))
            for channel in range(3):
                colours[channel::3] = self.pixels
            command = ["cjpeg", "-quality", "85", "-sample", "2x1"]
            return subprocess.run(command, input=b"P6 %d %d 255\n" % (self.width, self.height) + colours, stdout=subprocess.PIPE, check=True).stdout
        raise PictureError(f"no frames of {fourcc}")


def modules(code):
    """The modules of a QR code with its quiet zone, row by row, True where dark."""
    drawn = subprocess.run(["qrencode", "-t", "ASCII", "-l", "M", "-m", str(QUIET), "-o", "-", code], stdout=subprocess.PIPE, check=True, text=True).stdout
    return [[line[column] == "#" for column in range(0, len(line), 2)] for line in drawn.splitlines()]
