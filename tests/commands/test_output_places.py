"""Places that cannot be written to are refused before any work; those that can are kept as they are."""

import json
import os
import shutil
import stat
import struct
import subprocess
import sys
from importlib import resources

import pytest
from in_the_way import ROOT, WAYS, names_and_kinds

from groundplan.commands.output.folder import write_file, write_folder

GOAL = "(inside_of orange1 fridge)"


PLACES = [way for way in WAYS.items() if way[0] != "immutable"]


@pytest.fixture(params=PLACES, ids=lambda way: way[0].replace(" ", "-"))
def in_the_way(request, tmp_path):
    """Put something that must not be replaced where results are to go; return its name and what it is."""
    words, make = request.param
    folder = tmp_path / "run"
    folder.mkdir()
    make(folder / "plan.txt")
    return folder, words.strip()


@pytest.mark.parametrize("verb", ["plan", "compile"])
def test_what_must_not_be_replaced_is_refused_before_the_scene_is_read(cli, in_the_way, verb):
    folder, words = in_the_way
    before = names_and_kinds(folder)
    ran = cli(verb, "--scene", "no such scene", "--goal", GOAL, "--out", folder, "--force")
    assert ran.code == 2 and f"{folder}/" in ran.err and names_and_kinds(folder) == before
    assert words in ran.err or "expected a result of an earlier run" in ran.err  # of the file beside it


@pytest.mark.parametrize(
    "arguments", [("scene", "convert", "no such scene"), ("scene", "generate", "-o")], ids=" ".join
)
def test_a_file_that_must_not_be_replaced_is_refused_before_any_work(cli, in_the_way, arguments):
    folder, words = in_the_way
    name = folder / "plan.txt"
    before = names_and_kinds(folder)
    ran = cli(*arguments, name, "--force", *(("--to", "groundplan") if "convert" in arguments else ()))
    assert ran.code == 2 and words in ran.err and str(name) in ran.err
    assert names_and_kinds(folder) == before


def test_the_null_device_stays_a_device(cli):
    for force in ((), ("--force",)):
        ran = cli("scene", "generate", "--nodes", "60", "-o", "/dev/null", *force)
        assert ran.code == 2 and "got a device" in ran.err and "- is standard output" in ran.err
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_no_model_is_asked_for_what_cannot_be_kept(cli, tmp_path, monkeypatch):
    def asked(*arguments):
        raise AssertionError("a reader was made")

    monkeypatch.setattr("groundplan.commands.plan.reader_named", asked)
    (tmp_path / "record.json").mkdir()
    arguments = ("plan", "--scene", "office", "Close the fridge.", "--reader", "openai:m", "--out")
    ran = cli(*arguments, tmp_path, "--force")
    assert ran.code == 2 and "got a folder" in ran.err


def test_the_folder_that_one_is_in_stays_the_same_folder(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for out in (".", tmp_path):
        ran = cli("compile", "--scene", "office", "--goal", GOAL, "--out", out, "--force")
        assert ran.code == 2 and "got the one that you are in; name a new folder in it" in ran.err
    assert cli("compile", "--scene", "office", "--goal", GOAL, "--out", "new").code == 0
    assert os.stat(".").st_ino == os.stat(tmp_path).st_ino and os.listdir() == ["new"]


def test_a_link_to_a_folder_may_be_named(cli, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    assert cli("compile", "--scene", "office", "--goal", GOAL, "--out", tmp_path / "out").code == 0
    assert (tmp_path / "out").is_symlink() and (tmp_path / "disk" / "domain.pddl").exists()


def access_list(*entries):
    """Return a POSIX access control list as the bytes of its attribute (acl(5)): tag, permissions, id."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NOBODY = 0xFFFFFFFF
LIST = access_list((1, 6, NOBODY), (2, 4, 23456), (4, 0, NOBODY), (16, 4, NOBODY), (32, 0, NOBODY))
WIDE = access_list((1, 7, NOBODY), (2, 7, 34567), (4, 7, NOBODY), (16, 7, NOBODY), (32, 7, NOBODY))


def set_list(path, name, value):
    try:
        os.setxattr(path, f"system.posix_acl_{name}", value)
    except OSError:
        pytest.skip("a disk without access control lists")


def test_what_had_an_access_list_is_its_owners_alone(tmp_path):
    """A mode does not say what a list allows: where that cannot be kept, nobody else gets more."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("listed", "private"):
        (folder / name).write_text("old")
        (folder / name).chmod(0o640)
    set_list(folder / "listed", "access", LIST)
    set_list(folder, "access", WIDE)
    files = dict.fromkeys(("listed", "private", "new"), "new")
    write_folder(folder, files, force=True, own=("listed", "private"))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {"run": 0o700, "listed": 0o600, "private": 0o640, "new": modes["new"]}
    write_file(folder / "private", "newer", force=True)
    assert (folder / "private").read_text() == "newer"
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o640


def run_mounted(tmp_path, size, fill, *arguments):
    """Run the command line where a small disk is mounted on a folder that other processes do not see."""
    program = "import sys; from groundplan.commands import main; sys.exit(main(sys.argv[1:]))"
    script = (
        f"mount -t tmpfs -o size={size} none out || exit 77\n"
        f"head -c {fill} /dev/zero > out/mine.bin\n"
        f"'{sys.executable}' -P -c '{program}' \"$@\"\n"
        'echo "code $?"\nls -A out\n'
    )
    (tmp_path / "out").mkdir()
    unshare = ["unshare", "--mount", *([] if ROOT else ["--map-root-user"])]
    child = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", *map(str, arguments)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if child.returncode in (1, 77):
        pytest.skip("no mounting here")
    return child


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare")
def test_a_mount_point_is_refused_and_a_full_disk_is_found_first(tmp_path):
    compiled = ("compile", "--scene", "office", "--goal", GOAL, "--force", "--out")
    child = run_mounted(tmp_path, "1m", 10, *compiled, "out")
    assert "code 2" in child.stdout and "got a mount point; name a new folder in it" in child.stderr
    (tmp_path / "below").mkdir()
    child = run_mounted(tmp_path / "below", "1m", 10, *compiled, "out/new")
    assert "code 0" in child.stdout, child.stderr
    assert set(child.stdout.split()[-2:]) == {"mine.bin", "new"}
    (tmp_path / "full").mkdir()
    full = run_mounted(tmp_path / "full", "64k", 40_000, *compiled, "out/new", "--pack", "none")
    assert "code 2" in full.stdout and full.stdout.split()[-1] == "mine.bin"
    assert "No space left on device" in full.stderr


def test_a_mixture_of_two_runs_is_recognised(cli, tmp_path):
    out = tmp_path / "o"
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    listed = json.loads((out / "record.json").read_text())["files"]
    assert set(listed) == {p.name for p in out.iterdir()} - {"record.json", "timings.json"}
    fine = cli("certify", out, "--scene", "office", "--json")
    assert fine.code == 0 and fine.json["fields"]["files"]["status"] == "rechecked"
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    for name, words in {n: "is another file" for n in kept if n != "record.json"}.items():
        (out / name).write_bytes(kept[name].replace(b'record": "', b'record": "0') + b"\n")
        mixed = cli("certify", out, "--scene", "office", "--json")
        assert mixed.code == 1 and mixed.json["fields"]["files"]["status"] == "refused", name
        assert f"{name} {words}" in mixed.json["fields"]["files"]["detail"]
        (out / name).write_bytes(kept[name])
    (out / "plan.txt").unlink()
    assert "plan.txt is missing" in cli("certify", out, "--scene", "office").out
    (out / "plan.txt").write_bytes(kept["plan.txt"])
    (out / "certificate.json").write_text("{}")
    assert "certificate.json is not listed" in cli("certify", out, "--scene", "office").out


def test_a_record_alone_is_certified_without_its_files(cli, tmp_path):
    out = tmp_path / "o"
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    alone = tmp_path / "record.json"
    alone.write_bytes((out / "record.json").read_bytes())
    ran = cli("certify", alone, "--scene", "office", "--json")
    assert ran.code == 0 and ran.json["fields"]["files"]["status"] == "not checked"


@pytest.mark.parametrize("listed", [[], "x", {"../../etc/passwd": "0" * 64}, {"plan.txt": None}, 7])
def test_a_list_of_files_that_is_none_is_refused(cli, tmp_path, listed):
    out = tmp_path / "o"
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    record = json.loads((out / "record.json").read_text())
    (out / "record.json").write_text(json.dumps(record | {"files": listed}))
    ran = cli("certify", out, "--scene", "office", "--json")
    assert ran.code == 1 and ran.json["fields"]["files"]["status"] == "refused"


@pytest.mark.parametrize("how", ["itself", "link to the source", "link to its folder", "hard link", "inside"])
def test_a_converted_scene_never_replaces_what_was_read(cli, tmp_path, how):
    folder = tmp_path / "there"
    folder.mkdir()
    mine = folder / "graph.json"
    assert cli("scene", "convert", "office", mine, "--to", "node-link").code == 0
    source, target = mine, mine
    if how == "link to the source":
        source = tmp_path / "alias"
        source.symlink_to(mine)
    elif how == "link to its folder":
        (tmp_path / "way").symlink_to(folder)
        target = tmp_path / "way" / "graph.json"
    elif how == "hard link":
        target = tmp_path / "other.json"
        os.link(mine, target)
    elif how == "inside":
        (folder / "task.txt").write_text("Tidy up.")
        source = folder
    before = mine.read_bytes()
    ran = cli("scene", "convert", source, target, "--to", "groundplan", "--force")
    assert ran.code == 2 and "expected another file than the input" in ran.err, ran.err
    assert mine.read_bytes() == before
    assert cli("scene", "convert", source, tmp_path / "new.json", "--from", "node-link").code in (0, 2)


@pytest.mark.parametrize("how", ["itself", "through a link"])
def test_a_scene_that_comes_along_is_never_replaced(cli, tmp_path, how):
    package = resources.files("groundplan")
    shipped = package.joinpath("datasets", "scenes", "office.json")
    if how == "through a link":
        (tmp_path / "way").symlink_to(package.joinpath("datasets"))
        shipped = tmp_path / "way" / "scenes" / "office.json"
    before = shipped.read_bytes()
    tasks = package.joinpath("datasets", "tasks", "grasif-office.json")
    for command in (
        ("scene", "convert", "home", shipped, "--force"),
        ("scene", "convert", "office", shipped, "--force"),
        ("scene", "generate", "--rooms", 2, "-o", shipped, "--force"),
        ("datasets", "export", "grasif-office", "--out", tasks, "--force"),
    ):
        kept = tasks.read_bytes()
        try:
            ran = cli(*command)
            assert ran.code == 2 and "one that comes with groundplan" in ran.err
            assert shipped.read_bytes() == before and tasks.read_bytes() == kept
        finally:  # a file that is as it was is not written: other tests read it meanwhile
            for file, held in ((shipped, before), (tasks, kept)):
                if file.read_bytes() != held:
                    file.write_bytes(held)


def test_an_export_never_replaces_a_file_of_the_set_that_it_reads(cli, tmp_path, monkeypatch):
    first, home = tmp_path / "tasks.jsonl", tmp_path / "home"
    assert cli("datasets", "export", "grasif-office", "--out", first).code == 0
    monkeypatch.setenv("GROUNDPLAN_DATA", str(home))
    assert cli("datasets", "prepare", "grasif", "--from", first).code == 0
    kept = {p.name: p.read_bytes() for p in (home / "grasif").iterdir()}
    for given in ([], ["--from", home / "grasif"]):
        for name in kept:
            ran = cli("datasets", "export", "grasif", "--out", home / "grasif" / name, "--force", *given)
            assert ran.code == 2 and "which is read" in ran.err
    assert {p.name: p.read_bytes() for p in (home / "grasif").iterdir()} == kept
    assert cli("datasets", "export", "grasif", "--out", first, "--force").code == 0
