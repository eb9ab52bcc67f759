#!/usr/bin/env python3
"""Counts what one frame of each kind takes, in instructions, on arm64 beside x86_64, both under qemu; see README.md in the folder above."""

import argparse
import collections
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenes  # noqa: E402

HERE = Path(__file__).resolve().parent
#: Frames that are read before, for the program's start and what is set up once; a scene is known for still after some more of them.
WARM, WARM_STILL, COUNTED = 2, 12, 4
AIM = 1.3


def yuyv(grey):
    return numpy.dstack([grey, numpy.full_like(grey, 128)]).tobytes()


def jpeg(grey):
    """With colour at half the width, as cameras send it."""
    file = io.BytesIO()
    Image.fromarray(numpy.dstack([grey] * 3)).save(file, "JPEG", quality=85, subsampling="4:2:2")
    return file.getvalue()


FORMATS = {"GREY": numpy.ndarray.tobytes, "YUYV": yuyv, "MJPG": jpeg, "RGB3": lambda grey: numpy.dstack([grey] * 3).tobytes()}
#: What is seen, and how it comes.
KINDS = [("QR", "easy", "GREY"), ("QR", "easy", "YUYV"), ("QR", "easy", "MJPG"), ("QR", "easy", "RGB3"), ("QR", "hard", "GREY"),
         ("EAN", "easy", "GREY"), ("Code 128", "easy", "GREY"), ("empty", "moving", "GREY"), ("empty", "still", "GREY")]


def frames(kind, hardness, form, folder):
    """The files of some frames that follow each other, and how many of them are not counted."""
    warm = WARM_STILL if hardness == "still" else WARM
    scene = scenes.Scene("720p", kind, hardness, 1, warm)
    ((path, _),) = scene.render(folder)
    width, height = scenes.SIZES[scene.size]
    content = path.read_bytes()
    start = content.index(b"\n") + 1
    files = []
    for number in range(warm + COUNTED):
        begin = start + number * (6 + width * height) + 6
        grey = numpy.frombuffer(content[begin:begin + width * height], numpy.uint8).reshape(height, width)
        files.append(folder / f"{path.stem}-{number}.{form}")
        files[-1].write_bytes(FORMATS[form](grey))
    return f"{form}:{width}x{height}", files, warm


class Counted:
    """What a program has executed: instructions, those on vectors, each function's."""

    def __init__(self, said, errors):
        self.said = said.split()
        found = re.search(r"^instructions (\d+) vectors (\d+)$", errors, re.M)
        if not found:
            sys.exit(f"It was not counted: {errors[-2000:]}")
        self.instructions, self.vectors = int(found[1]), int(found[2])
        self.functions = collections.Counter()
        for name, count in re.findall(r"^in (\S+) (\d+) \d+$", errors, re.M):
            self.functions[name] += int(count)


def count(command, plugin, arguments):
    done = subprocess.run([command[0], "-plugin", plugin, *command[1:], *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
    return Counted(done.stdout, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--x86-64", required=True, help="decode-bench for x86_64")
    parser.add_argument("--arm64", required=True, help="decode-bench for arm64")
    parser.add_argument("--sysroot", required=True, help="where arm64's libraries are")
    parser.add_argument("--qemu", default="", help="the folder of qemu-aarch64 and qemu-x86_64, where it is not in PATH")
    parser.add_argument("--functions", type=int, default=0, help="tell the functions that took most, so many")
    options = parser.parse_args()
    tools = [shutil.which(name, path=options.qemu or None) for name in ("qemu-x86_64", "qemu-aarch64")]
    if not all(tools):
        sys.exit("qemu with plugins is wanted, which the static one has not: apt install --no-install-recommends qemu-user")
    programs = {"x86_64": [tools[0], options.x86_64], "arm64": [tools[1], "-L", options.sysroot, options.arm64]}
    slow = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plugin = folder / "count.so"
        subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-o", plugin, HERE / "count.c"], check=True)
        how = f"{plugin},functions=on" if options.functions else plugin
        print("| 720p | codes read | x86_64, million | of these on vectors | arm64, million | of these on vectors | arm64 / x86_64 |\n|---|---|---|---|---|---|---|")
        for kind, hardness, form in KINDS:
            layout, files, warm = frames(kind, hardness, form, folder)
            found, details = {}, {}
            for name, command in programs.items():
                before, after = (count(command, how, ["raw", layout, *chosen]) for chosen in (files[:warm], files))
                found[name] = (after.said, (after.instructions - before.instructions) / COUNTED, (after.vectors - before.vectors) / COUNTED)
                details[name] = after.functions - before.functions
            (first, x86, vectors), (second, arm, neon) = found.values()
            ratio = arm / x86
            slow += ratio > AIM
            read = sum(map(int, first[warm:])) if first == second else f"{first[warm:]}, {second[warm:]}"
            print(f"| {form}, {kind} {hardness} | {read} of {COUNTED} | {x86 / 1e6:.1f} | {vectors / x86:.0%} | {arm / 1e6:.1f} | {neon / arm:.0%} | {ratio:.2f} |", flush=True)
            for name, functions in details.items():
                for function, instructions in functions.most_common(options.functions):
                    print(f"    {name} {instructions / COUNTED / 1e6:8.2f} {function}")
    print(f"{len(KINDS) - slow} of {len(KINDS)} within the aim of {AIM}")


if __name__ == "__main__":
    main()
