"""A disk that bears a power cut: what was written to it and not synced is gone afterwards."""

import fcntl
import os
import struct
import subprocess

EXT4_IOC_SHUTDOWN, WITHOUT_ITS_LOG = 0x8004587D, 2


class Disk:
    """An ext4 with a journal, as stations have, in a file, mounted at a folder of its own. It goes with the process and its mount namespace."""

    def __init__(self, image, folder, size):
        self.folder = folder
        os.mkdir(folder)
        with open(image, "wb") as file:
            file.truncate(size)
        run("mke2fs", "-q", "-F", "-t", "ext4", "-E", "root_owner=0:0", image)
        run("mount", "-t", "ext4", "-o", "loop,noatime", image, folder)
        with open("/proc/self/mounts") as mounts:
            self._device = next(line.split()[0] for line in mounts if line.split()[1] == folder)
        # The loop device is let go of with its last user: held open, it stays over a cut.
        self._held = os.open(self._device, os.O_RDONLY | os.O_CLOEXEC)

    def cut(self, kill, wait):
        """Ends programs by `kill` and, in the same moment, the file system without its journal. `wait` returns when the programs are gone; then it is mounted anew."""
        folder = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        kill()
        fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_ITS_LOG))
        os.close(folder)
        wait()
        run("umount", self.folder)
        run("mount", "-t", "ext4", "-o", "noatime", self._device, self.folder)


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {' '.join(done.stdout.split())}")
