"""Frames of a camera as they might be: a made background, a code pasted in perspective, jitter, blur, motion, noise. Seeded."""

import dataclasses
import zlib
from pathlib import Path

import numpy
import zxingcpp
from PIL import Image, ImageDraw, ImageFilter

SIZES = {"480p": (640, 480), "720p": (1280, 720), "1080p": (1920, 1080)}
# Blur (pixels of a 720p frame), motion (pixels), noise (standard deviation), contrast, tilt, share of the frame's height that a QR takes.
HARDNESS = {
    "easy": (0.4, 0, 2, 1.0, 0.05, (0.35, 0.5)),
    "mid": (1.0, 3, 7, 0.6, 0.15, (0.22, 0.32)),
    "hard": (1.6, 6, 12, 0.45, 0.25, (0.16, 0.24)),
}
CODES = {"QR": ("QRCode", "SG-2041-77-K3QZ9V4A"), "EAN": ("EAN13", "4006381333931"), "Code 128": ("Code128", "SG2041K3QZ")}
FRAMES = 12


def background(random, width, height):
    """Something like a hall: gradients, rectangles, text, edges in some direction, fine texture."""
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    base = 110 + 50 * numpy.sin(x / width * random.uniform(1, 4) + random.uniform(0, 6)) + 40 * (y / height - 0.5)
    coarse = Image.fromarray(random.integers(0, 256, (height // 32, width // 32), dtype=numpy.uint8))
    base = base * 0.7 + 0.3 * numpy.asarray(coarse.resize((width, height), Image.BICUBIC), dtype=numpy.float32)
    picture = Image.fromarray(numpy.clip(base, 0, 255).astype(numpy.uint8))
    draw = ImageDraw.Draw(picture)
    for _ in range(25):
        left, top = random.integers(0, width), random.integers(0, height)
        right, bottom = left + random.integers(10, width // 4), top + random.integers(10, height // 4)
        shape = draw.ellipse if random.random() < 0.3 else draw.rectangle
        shape((int(left), int(top), int(right), int(bottom)), fill=int(random.integers(20, 240)))
    for _ in range(30):
        words = "".join(chr(random.integers(65, 91)) for _ in range(random.integers(4, 18)))
        draw.text((int(random.integers(0, width)), int(random.integers(0, height))), words, fill=int(random.integers(0, 255)))
    # A fence, a shelf or a shirt: stripes that are no code.
    left, top = int(random.integers(0, width * 3 // 4)), int(random.integers(0, height * 3 // 4))
    for stripe in range(12):
        draw.line((left + stripe * 9, top, left + stripe * 9 + 15, top + height // 6), fill=int(random.integers(0, 120)), width=4)
    texture = random.normal(0, 4, (height, width))
    return numpy.clip(numpy.asarray(picture, dtype=numpy.float32) + texture, 0, 255)


def symbol(kind):
    """The code on its label with a quiet zone, ten pixels a module."""
    format_name, text = CODES[kind]
    made = numpy.array(zxingcpp.create_barcode(text, getattr(zxingcpp.BarcodeFormat, format_name)).to_image(scale=1, add_quiet_zones=False))
    if kind != "QR":
        made = numpy.repeat(made[:1], made.shape[1] // 2, axis=0)
    edge = 4 if kind == "QR" else 11
    label = numpy.full((made.shape[0] + 2 * edge, made.shape[1] + 2 * edge), 255, numpy.uint8)
    label[edge:-edge, edge:-edge] = made
    return Image.fromarray(label).resize((label.shape[1] * 10, label.shape[0] * 10), Image.NEAREST)


def coefficients(target, source):
    """Of the perspective that takes `target` points to `source` ones."""
    rows = []
    for (x, y), (u, v) in zip(target, source):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return numpy.linalg.solve(numpy.array(rows), numpy.array(source).reshape(8))


def paste(random, frame, label, center, angle, size, tilt, contrast):
    """Puts the label into the frame; `size` is the label's height in pixels."""
    height, width = frame.shape
    half = numpy.array([label.width / label.height, 1.0]) * size / 2
    corners = numpy.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    corners = corners * (1 + tilt * random["tilt"][:, None])
    turn = numpy.array([[numpy.cos(angle), -numpy.sin(angle)], [numpy.sin(angle), numpy.cos(angle)]])
    target = corners @ turn.T + center
    source = [(0, 0), (label.width, 0), (label.width, label.height), (0, label.height)]
    warp = coefficients(target, source)
    # Shrunk in steps before, so that fine modules do not alias.
    small = label
    scale = label.height / size / 2
    if scale > 1.2:
        small = label.resize((max(1, int(label.width / scale)), max(1, int(label.height / scale))), Image.BOX)
        warp = coefficients(target, [(x * small.width / label.width, y * small.height / label.height) for x, y in source])
    code = numpy.asarray(small.transform((width, height), Image.PERSPECTIVE, warp, Image.BILINEAR), dtype=numpy.float32)
    mask = numpy.asarray(
        Image.new("L", small.size, 255).transform((width, height), Image.PERSPECTIVE, warp, Image.BILINEAR), dtype=numpy.float32) / 255
    ink = 128 + (code - 128) * contrast
    return frame * (1 - mask) + ink * mask


@dataclasses.dataclass
class Scene:
    """Some sequences of one size, with one code or none."""

    size: str
    kind: str  # of CODES, or "empty"
    hardness: str  # of HARDNESS; "moving" or "still" where it is empty
    sequences: int
    warm: int  # frames that are not counted

    @property
    def title(self):
        return f"{self.size} {self.kind} {self.hardness}"

    @property
    def text(self):
        return CODES[self.kind][1] if self.kind in CODES else None

    def render(self, folder):
        """(path, expected text or None) of each sequence; rendered where it is not there yet."""
        for number in range(self.sequences):
            path = Path(folder) / f"{self.title.replace(' ', '-')}-{number}.y4m"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                width, height = SIZES[self.size]
                seed = zlib.crc32(f"{self.title} {number}".encode())
                with open(path.with_suffix(".part"), "wb") as file:
                    file.write(b"YUV4MPEG2 W%d H%d F30:1 Ip A1:1 Cmono\n" % (width, height))
                    for frame in self.pictures(numpy.random.default_rng(seed), width, height):
                        file.write(b"FRAME\n" + numpy.clip(frame, 0, 255).astype(numpy.uint8).tobytes())
                path.with_suffix(".part").rename(path)
            yield path, self.text

    def pictures(self, random, width, height):
        margin = 40
        hall = background(random, width + 2 * margin, height + 2 * margin)
        fixed = {"tilt": random.uniform(-1, 1, 4)}
        count = FRAMES if self.hardness != "still" else FRAMES + self.warm
        angle = random.uniform(0, 2 * numpy.pi)
        place = numpy.array([random.uniform(0.35, 0.65) * width, random.uniform(0.4, 0.6) * height])
        drift, shift = random.uniform(-3, 3, 2), numpy.zeros(2)
        blur, motion, noise, contrast, tilt, share = HARDNESS.get(self.hardness, HARDNESS["easy"])
        size = random.uniform(*share) * height
        for _ in range(count):
            if self.hardness == "still":
                view = hall[margin:margin + height, margin:margin + width] + random.normal(0, 1.2, (height, width))
                yield view
                continue
            shift = numpy.clip(shift + drift + random.uniform(-1.5, 1.5, 2), 1 - margin, margin - 1)
            left, top = (margin + shift).astype(int)
            view = hall[top:top + height, left:left + width]
            if self.kind in CODES:
                place = place + random.uniform(-4, 4, 2) * height / 720
                angle += random.uniform(-0.02, 0.02)
                view = paste(fixed, view, symbol(self.kind), place, angle, size, tilt, contrast)
            picture = Image.fromarray(numpy.clip(view, 0, 255).astype(numpy.uint8))
            picture = picture.filter(ImageFilter.GaussianBlur(blur * height / 720))
            view = numpy.asarray(picture, dtype=numpy.float32)
            if motion:
                steps, way = int(motion * height / 720) + 1, random.uniform(0, 2 * numpy.pi)
                view = sum(numpy.roll(view, (round(i * numpy.sin(way)), round(i * numpy.cos(way))), (0, 1)) for i in range(steps)) / steps
            yield view + random.normal(0, noise, (height, width))


def all_scenes():
    """Every scene of the bench."""
    for size in SIZES:
        sequences = 3 if size == "1080p" else 6
        yield Scene(size, "empty", "moving", sequences, 1)
        yield Scene(size, "empty", "still", 2, 12)
        for kind in CODES:
            for hardness in HARDNESS:
                yield Scene(size, kind, hardness, sequences, 0)


def frames(path):
    """The grey frames of a sequence."""
    with open(path, "rb") as file:
        words = file.readline().split()
        width, height = int(words[1][1:]), int(words[2][1:])
        while file.readline():
            yield numpy.frombuffer(file.read(width * height), numpy.uint8).reshape(height, width)


def camera_frames(folder, scene, form):
    """The files of a scene's first sequence as a camera gives them, colour and all: `yuyv`, or `mjpg`, a JPEG a frame."""
    path, _ = next(scene.render(folder))
    places = []
    for number, grey in enumerate(frames(path)):
        place = path.with_name(f"{path.stem}-{number:02}.{form}")
        places.append(place)
        if place.exists():
            continue
        # Colour goes with the light, so that it moves as the scene does; its noise is that of a sensor.
        random = numpy.random.default_rng(zlib.crc32(place.name.encode()))
        soft = numpy.asarray(Image.fromarray(grey).filter(ImageFilter.GaussianBlur(3)), dtype=numpy.float32) - 128
        blue, red = (
            numpy.clip(128 + share * soft + random.normal(0, 1.2, soft.shape), 0, 255).astype(numpy.uint8) for share in (0.25, -0.3))
        if form == "yuyv":
            pixels = numpy.empty((*grey.shape, 2), numpy.uint8)
            pixels[:, :, 0], pixels[:, 0::2, 1], pixels[:, 1::2, 1] = grey, blue[:, 0::2], red[:, 0::2]
            place.write_bytes(pixels.tobytes())
        else:
            planes = [Image.fromarray(plane) for plane in (grey, blue, red)]
            Image.merge("YCbCr", planes).save(place, "JPEG", quality=80, subsampling="4:2:2")
    return places
