#!/usr/bin/env python3
"""Measures the reading of pictures and of frames beside libzbar and zxing-cpp, in one run; see README.md in the folder above."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engines  # noqa: E402
import scenes  # noqa: E402

# The folders by what they hold. Those of Aztec, Data Matrix and PDF417 are left out: two of the three readers do not know them.
LINEAR = re.compile(r"ean|upc|code\d|codabar|itf|rss")
RETAIL = {"ean8", "ean13", "upcA", "upcE"}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def retail(digits):
    """The EAN-13 digits of an EAN-13, UPC-A or UPC-E text; EAN-8 stays: what is the same code reads the same."""
    if len(digits) == 12:
        return "0" + digits
    if len(digits) == 8 and digits[0] in "01":
        body, last = digits[1:7], digits[6]
        if last in "012":
            body = body[:2] + last + "0000" + body[2:5]
        elif last == "3":
            body = body[:3] + "00000" + body[3:5]
        elif last == "4":
            body = body[:4] + "00000" + body[4]
        else:
            body = body[:5] + "0000" + last
        return "0" + digits[0] + body + digits[7]
    return digits


def is_same(folder, kind, text, data, wanted):
    """Whether a read text is the one wanted, however each reader writes that kind."""
    if isinstance(wanted, bytes):
        return data == wanted
    if text == wanted:
        return True
    if kind.lower() == "codabar":
        return text.strip("ABCDTN*Eabcdtne") == wanted
    if kind.lower().startswith("code39"):
        # With or without the pairs of full ASCII, which the symbol itself does not tell apart.
        return wanted.strip("* ") in (text.strip("* "), re.sub(r"\+([A-Z])", lambda pair: pair[1].lower(), text.strip("* ")))
    if kind in RETAIL and folder.startswith(("ean", "upc")):
        return retail(text) == retail(wanted) or (kind == "ean13" and text == retail(wanted))
    return False


def canonical(kind, text, data):
    return retail(text) if kind in RETAIL else text


class Count:
    """What one reader did over some pictures."""

    def __init__(self):
        self.right = self.false = self.total = 0
        self.times = []

    def add(self, folder, wanted, reads, took, others=frozenset()):
        """`others` are texts that are no misread: on a second label in the picture."""
        self.total += 1
        self.times.append(took / 1e6)
        same = [is_same(folder, *read, wanted) for read in reads] if wanted is not None else [False] * len(reads)
        self.right += any(same)
        self.false += not all(right or canonical(*read) in others for right, read in zip(same, reads))

    @property
    def mean(self):
        return sum(self.times) / max(1, len(self.times))

    def row(self):
        return "%d | %d | %d | %.2f | %.2f | %.2f" % (
            self.right, self.false, self.total - self.right, percentile(self.times, 0.5), percentile(self.times, 0.95), self.mean)


def normal(read):
    """(kind, text, bytes) of an engine's read."""
    if len(read) == 3:
        return read
    kind, data = read
    return kind, data.decode("utf-8", "replace"), data


class Scangate:
    """CodeVision by the release build of `decode-bench`."""

    name = "scangate"

    def __init__(self, program, arguments):
        self.command = [program] + arguments

    def lines(self, mode, path):
        result = subprocess.run(self.command + [mode, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if result.returncode:
            sys.exit(f"measure: {self.command[0]} {mode} {path} ended with {result.returncode}.")
        for line in result.stdout.splitlines():
            entry = json.loads(line)
            reads = [(kind, bytes.fromhex(text).decode("utf-8", "replace"), bytes.fromhex(data)) for kind, text, data in entry["symbols"]]
            yield entry, reads


def dev_pictures(images, cache):
    """(folder, name, path of the grey picture, expected) of each picture; made packed and grey once."""
    for folder in sorted(path for path in images.iterdir() if path.is_dir()):
        if not (folder.name.startswith(("qrcode", "falsepositives")) or LINEAR.match(folder.name)):
            continue
        for path in sorted(folder.iterdir()):
            if path.suffix not in (".png", ".jpg", ".jpeg", ".gif"):
                continue
            text, binary = path.with_suffix(".txt"), path.with_suffix(".bin")
            wanted = None
            if binary.exists():
                wanted = binary.read_bytes()
            elif text.exists():
                wanted = text.read_bytes().decode("utf-8").rstrip("\r\n")
            grey = cache / folder.name / (path.name + ".pgm")
            if not grey.exists():
                grey.parent.mkdir(parents=True, exist_ok=True)
                picture = Image.open(path)
                if picture.mode in ("RGBA", "LA", "P"):
                    picture = picture.convert("RGBA")
                    picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
                picture.convert("L").save(grey)
            yield folder.name, path.name, grey, wanted


def second_labels(measured):
    """Texts of a folder that are not the expected one, but that zbar's decoders and zxing-cpp's both read: pictures have second labels."""
    texts = {}
    for folder, _, _, results in measured:
        for engine, (found, _) in results.items():
            family = "zxing" if engine.startswith("zxing") else "zbar"
            texts.setdefault(folder, {}).setdefault(family, set()).update(canonical(*read) for read in found)
    return {folder: families.get("zxing", set()) & families.get("zbar", set()) for folder, families in texts.items()}


def measure_pictures(ours, others, images, cache, chosen, details):
    """Tables over the pictures of a folder; returns {group: {engine: Count}}."""
    groups = {name: {engine.name: Count() for engine in [ours] + others} for name in ("QR", "linear", "no code")}
    folders = {}
    entries = [entry for entry in dev_pictures(images, cache) if not chosen or re.match(chosen, entry[0])]
    listing = cache / "list.txt"
    listing.write_text("".join(f"{path}\n" for _, _, path, _ in entries))
    measured = []
    for (folder, name, path, wanted), (entry, reads) in zip(entries, ours.lines("pictures", listing)):
        results = {ours.name: (reads, entry["cpu"])}
        pixels = numpy.ascontiguousarray(numpy.asarray(Image.open(path)))
        for engine in others:
            found, took = engine.read(pixels)
            results[engine.name] = ([normal(read) for read in found], took)
        measured.append((folder, name, wanted, results))
    seconds = second_labels(measured)
    for folder, name, wanted, results in measured:
        group = "QR" if folder.startswith("qr") else "no code" if folder.startswith("false") else "linear"
        words = []
        for engine, (found, took) in results.items():
            groups[group][engine].add(folder, wanted, found, took, seconds.get(folder, ()))
            count = folders.setdefault(folder, {}).setdefault(engine, Count())
            before = count.right, count.false
            count.add(folder, wanted, found, took, seconds.get(folder, ()))
            words.append(f"{engine}: {'right' if count.right > before[0] else '-'}{' FALSE' if count.false > before[1] else ''}")
            words += [f"{kind}={text}" for kind, text, _ in found if text != wanted]
        if details:
            print(f"{folder}/{name} {wanted!r} {' '.join(words)} {results[ours.name][1] / 1e6:.2f} ms")
    for group, counts in groups.items():
        if any(count.total for count in counts.values()):
            table(f"{group}: {next(iter(counts.values())).total} pictures", counts)
    print("\n| folder | pictures | " + " | ".join(f"{engine.name}: right, false" for engine in [ours] + others) + " |")
    print("|---|---|" + "---|" * (1 + len(others)))
    for folder, counts in folders.items():
        cells = " | ".join(f"{counts[engine.name].right}, {counts[engine.name].false}" for engine in [ours] + others)
        print(f"| {folder} | {counts[ours.name].total} | {cells} |")
    return groups


def table(title, counts):
    print(f"\n| {title} | right | false | not read | median ms | p95 ms | mean ms |\n|---|---|---|---|---|---|---|")
    for engine, count in counts.items():
        print(f"| {engine} | {count.row()} |")


def measure_scenes(ours, others, folder, chosen):
    """Tables over rendered sequences; returns {scene: {engine: Count}}."""
    results = {}
    for scene in scenes.all_scenes():
        if chosen and not re.match(chosen, scene.title):
            continue
        counts = results[scene.title] = {engine.name: Count() for engine in [ours] + others}
        sequences = {engine.name: 0 for engine in [ours] + others}
        for path, wanted in scene.render(folder):
            got = {name: False for name in sequences}
            for index, (entry, reads) in enumerate(ours.lines("frames", path)):
                if index >= scene.warm:
                    counts[ours.name].add("ean", wanted, reads, entry["cpu"])
                got[ours.name] |= any(is_same("ean", *read, wanted) for read in reads)
            for index, pixels in enumerate(scenes.frames(path)):
                if index < scene.warm or (wanted is None and index >= scene.warm + 6):
                    continue
                for engine in others:
                    found, took = engine.read(pixels)
                    found = [normal(read) for read in found]
                    counts[engine.name].add("ean", wanted, found, took)
                    got[engine.name] |= any(is_same("ean", *read, wanted) for read in found)
            for name in sequences:
                sequences[name] += got[name]
        titles = {name: count for name, count in counts.items()}
        read = "" if scene.text is None else "; sequences read: " + ", ".join(f"{name} {n}" for name, n in sequences.items())
        table(f"{scene.title}, frames of {scene.sequences} sequences{read}", titles)
    return results


def measure_replay(program, folder):
    """A table of how much of a core the whole reader takes; returns {(scene, format, idle rate): what camera-replay printed}."""
    results = {}
    print("\n| 1280 x 720 at 30 a second, whole reader | share of a core | gateway | decoder | frames looked at a second | bytes a frame |")
    print("|---|---|---|---|---|---|")
    for scene in scenes.all_scenes():
        if scene.size != "720p" or scene.kind != "empty":
            continue
        for form in ("yuyv", "mjpg"):
            paths = [str(path) for path in scenes.camera_frames(folder, scene, form)]
            # There and back, so that nothing jumps where it begins anew.
            paths += paths[-2:0:-1]
            # What moves is looked at whole, whatever the rate at rest.
            for idle in ("10", "all") if scene.hardness == "still" else ("10",):
                command = [str(program), f"--format={form}", f"--idle-rate={idle}", *paths]
                result = subprocess.run(command, stdout=subprocess.PIPE)
                if result.returncode:
                    sys.exit(f"measure: {program} with {scene.title}, {form} ended with {result.returncode}.")
                got = results[scene.hardness, form, idle] = json.loads(result.stdout)
                words = f"{scene.hardness}, {form}" + (f", idleRate {idle}" if scene.hardness == "still" else "")
                shares = " | ".join(f"{100 * got[name]:.2f} %" for name in ("core", "gateway", "decoder"))
                print(f"| {words} | {shares} | {got['looked'] / got['seconds']:.1f} | {got['frameBytes']} |")
    return results


def report_aims(pictures, frames, replays):
    """Each aim with what came of it."""
    print("\n| aim | measured | |\n|---|---|---|")

    def aim(words, value, met):
        print(f"| {words} | {value} | {'met' if met else 'missed'} |")

    if pictures:
        qr, linear, empty = (pictures[name] for name in ("QR", "linear", "no code"))
        right = {name: qr[name].right + linear[name].right for name in qr}
        aim("all pictures: at least as many right as zxing-cpp", f"{right['scangate']} to {right['zxing-cpp']}",
            right["scangate"] >= right["zxing-cpp"])
        if qr["scangate"].total:
            false, total = qr["scangate"].false, qr["scangate"].total
            aim("QR pictures: at most 3 of 534 with a false text", f"{false} of {total}", false * 534 <= 3 * total)
        if linear["scangate"].total:
            for other in ("zbar", "zxing-cpp"):
                a, b = linear["scangate"], linear[other]
                aim(f"linear pictures: more right and fewer false than {other}", f"{a.right}, {a.false} to {b.right}, {b.false}",
                    a.right > b.right and a.false < b.false)
        with_code = {name: (sum(qr[name].times) + sum(linear[name].times)) / max(1, len(qr[name].times) + len(linear[name].times))
                     for name in qr}
        aim("pictures with a code: at most half of zbar's CPU time", f"{with_code['scangate']:.2f} to {with_code['zbar']:.2f} ms mean",
            with_code["scangate"] <= with_code["zbar"] / 2)
    for title, counts in frames.items():
        mean, zbar = counts["scangate"].mean, counts["zbar"].mean
        if title == "720p empty moving":
            aim("moving 720p without a code: a twentieth of zbar's CPU time", f"{mean:.2f} to {zbar:.1f} ms mean", mean <= zbar / 20)
        if title == "720p empty still":
            aim("still 720p: 0.15 ms", f"{mean:.3f} ms mean", mean <= 0.15)
        if title == "720p QR easy":
            aim("easy QR in 720p: 1 ms", f"{mean:.2f} ms mean", mean <= 1)
    for (scene, form, idle), got in replays.items():
        if scene == "still":
            most = {"yuyv": 3, "mjpg": 8}[form]
            aim(f"whole reader, still 720p, 30 a second, {form}, idleRate {idle}: under {most} % of a core",
                f"{100 * got['core']:.2f} %", 100 * got["core"] < most)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the release build of decode-bench")
    parser.add_argument("--replay", type=Path, help="the release build of camera-replay; beside decode-bench if nothing else is said")
    parser.add_argument("--folder", required=True, type=Path, help="where pictures made by this are kept")
    parser.add_argument("--images", type=Path, default=os.environ.get("DECODE_IMAGES"), help="folders of pictures with their texts (DECODE_IMAGES)")
    parser.add_argument("--only", help="a pattern of folders or scenes")
    parser.add_argument("--part", choices=["pictures", "frames", "replay"], help="one part alone")
    parser.add_argument("--details", action="store_true", help="what was read in each picture")
    parser.add_argument("--ours-only", action="store_true", help="leave the others out")
    parser.add_argument("options", nargs="*", help="for decode-bench")
    arguments = parser.parse_args()
    ours = Scangate(arguments.program, arguments.options)
    others = [] if arguments.ours_only else [engines.ZBar(), engines.ZXing(True), engines.ZXing(False)]
    pictures, frames, replays = {}, {}, {}
    if arguments.part in (None, "pictures"):
        if arguments.images and Path(arguments.images).is_dir():
            pictures = measure_pictures(
                ours, others, Path(arguments.images), arguments.folder / "pictures", arguments.only, arguments.details)
        else:
            print("No pictures: they are not in the tree. Name a folder of them by --images or DECODE_IMAGES.")
    if arguments.part in (None, "frames"):
        frames = measure_scenes(ours, others, arguments.folder / "scenes", arguments.only)
    if arguments.part == "replay" or (arguments.part is None and not arguments.only):
        program = arguments.replay or Path(arguments.program).with_name("camera-replay")
        replays = measure_replay(program, arguments.folder / "scenes")
    if others:
        report_aims(pictures, frames, replays)


if __name__ == "__main__":
    main()
