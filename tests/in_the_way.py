"""What may be in the way of a file that is to be written: links, pipes and files that are somebody else's."""

import fcntl
import os
import socket
import stat
import struct

import pytest

ROOT = os.geteuid() == 0
SET_FLAGS = (1 << 30) | (struct.calcsize("l") << 16) | (ord("f") << 8) | 2
"""FS_IOC_SETFLAGS of linux/fs.h."""


def make_link(path):
    path.symlink_to(path.parent / "elsewhere")


def make_link_to_a_file(path):
    (path.parent / "mine.txt").write_text("mine")
    path.symlink_to("mine.txt")


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)
    os.chdir(here)


def make_folder(path):
    (path / "below").mkdir(parents=True)


def make_second_name(path):
    (path.parent / "first.txt").write_text("mine")
    os.link(path.parent / "first.txt", path)


def make_device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make devices")


def give_away(path):
    if not ROOT:
        pytest.skip("only root may give files away")
    path.write_text("mine")
    os.chown(path, 12345, -1)


def make_immutable(path):
    path.write_text("mine")
    with path.open() as file:
        try:
            fcntl.ioctl(file, SET_FLAGS, struct.pack("l", 0x10))
        except OSError:
            pytest.skip("only root may, on some disks")


WAYS = {
    "a link": make_link,
    "a link ": make_link_to_a_file,
    "a pipe": make_pipe,
    "a socket": make_socket,
    "a folder": make_folder,
    "2 names": make_second_name,
    "a device": make_device,
    "belongs to user 12345": give_away,
    "immutable": make_immutable,
}


def names_and_kinds(folder):
    return {p.name: (p.lstat().st_mode, p.lstat().st_uid, p.lstat().st_nlink) for p in folder.iterdir()}


def make_changeable(path):
    """Take away what keeps a file from being removed, if :func:`make_immutable` put it there."""
    with path.open() as file:
        fcntl.ioctl(file, SET_FLAGS, struct.pack("l", 0))
