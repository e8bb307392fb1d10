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
from in_the_way import ROOT, WAYS, make_changeable, make_immutable, names_and_kinds

from groundplan.commands.output.folder import check_file, check_folder, write_file, write_folder
from groundplan.commands.output.seals import mixture_of
from groundplan.domains.errors import InputError
from groundplan.domains.storage import likeness

GOAL = "(inside_of orange1 fridge)"


@pytest.fixture(params=WAYS.items(), ids=lambda way: way[0].replace(" ", "-"))
def in_the_way(request, tmp_path):
    """Put something that must not be replaced where results are to go; return its name and what it is."""
    words, make = request.param
    folder = tmp_path / "run"
    folder.mkdir()
    make(folder / "plan.txt")
    yield folder, words.strip()
    if make is make_immutable:
        make_changeable(folder / "plan.txt")


@pytest.mark.parametrize("verb", ["plan", "compile"])
def test_what_must_not_be_replaced_is_refused_before_the_scene_is_read(cli, in_the_way, verb):
    folder, words = in_the_way
    before = names_and_kinds(folder)
    ran = cli(verb, "--scene", "no such scene", "--goal", GOAL, "--out", folder, "--force")
    assert ran.code == 2 and words in ran.err and str(folder / "plan.txt") in ran.err
    assert names_and_kinds(folder) == before


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
    (tmp_path / "mine.txt").write_text("mine")
    monkeypatch.chdir(tmp_path)
    before = os.stat(".")
    for out in (".", tmp_path):
        assert cli("compile", "--scene", "office", "--goal", GOAL, "--out", out, "--force").code == 0
        assert os.stat(".").st_ino == before.st_ino == os.stat(tmp_path).st_ino
    assert (tmp_path / "mine.txt").read_text() == "mine"


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


def test_access_lists_are_kept_and_those_of_the_folder_are_not_added(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("listed", "private", "new"):
        if name != "new":
            (folder / name).write_text("old")
            (folder / name).chmod(0o600)
    set_list(folder / "listed", "access", LIST)
    os.setxattr(folder / "private", "user.note", b"kept")
    set_list(folder, "default", WIDE)
    before = {name: (folder / name).stat().st_mode for name in ("listed", "private")}
    files = dict.fromkeys(("listed", "private", "new"), "new")
    write_folder(folder, files, force=True, replaced=("listed", "private"))
    for name in ("listed", "private"):
        write_file(folder / name, "newer", force=True)
        assert (folder / name).read_text() == "newer" and (folder / name).stat().st_mode == before[name]
    assert os.getxattr(folder / "listed", "system.posix_acl_access") == LIST
    assert os.listxattr(folder / "private") == ["user.note"]
    assert "system.posix_acl_access" in os.listxattr(folder / "new")  # as the folder gives it


def test_an_attribute_that_cannot_be_kept_is_found_before_any_work(tmp_path, monkeypatch):
    (tmp_path / "plan.txt").write_text("old")
    monkeypatch.setattr(os, "listxattr", lambda file, **more: [] if isinstance(file, int) else ["user.a"])
    monkeypatch.setattr(os, "getxattr", lambda *arguments, **more: b"1")

    def refuse(*arguments, **more):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refuse)
    for check in (lambda: check_folder(tmp_path, True), lambda: check_file(tmp_path / "plan.txt", True)):
        with pytest.raises(InputError, match="Operation not permitted"):
            check()
    assert os.listdir(tmp_path) == ["plan.txt"]


def test_a_file_that_something_is_mounted_on_is_refused(tmp_path, monkeypatch):
    (tmp_path / "plan.txt").write_text("old")
    monkeypatch.setattr(likeness, "_is_mount_point", lambda path: True)
    with pytest.raises(InputError, match="got a mount point; mount the folder that it is in"):
        check_folder(tmp_path, True)


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
def test_a_mount_point_may_be_the_folder_and_a_full_disk_is_found_first(tmp_path):
    compiled = ("compile", "--scene", "office", "--goal", GOAL, "--out", "out", "--force")
    child = run_mounted(tmp_path, "1m", 10, *compiled)
    assert "code 0" in child.stdout, child.stderr
    assert set(child.stdout.split()[-4:]) == {"domain.pddl", "mine.bin", "problem.pddl", "symbols.json"}
    (tmp_path / "full").mkdir()
    full = run_mounted(tmp_path / "full", "64k", 40_000, *compiled, "--pack", "none")
    assert "code 2" in full.stdout and full.stdout.split()[-1] == "mine.bin"
    assert "No space left on device" in full.stderr


def test_a_mixture_of_two_runs_is_recognised(cli, tmp_path):
    out = tmp_path / "o"
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    listed = json.loads((out / "record.json").read_text())["files"]
    assert set(listed) == {p.name for p in out.iterdir()} - {"record.json", "timings.json"}
    fine = cli("certify", out, "--scene", "office", "--json")
    assert fine.code == 0 and fine.json["fields"]["files"]["status"] == "rechecked"
    simulate = ("simulate", "--scene", "office", "--goal", GOAL, "--plan", out / "plan.txt")
    assert cli(*simulate).err == ""
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    for name, words in {n: "is another file" for n in kept if n != "record.json"}.items():
        (out / name).write_bytes(kept[name].replace(b'record": "', b'record": "0') + b"\n")
        mixed = cli("certify", out, "--scene", "office", "--json")
        assert mixed.code == 1 and mixed.json["fields"]["files"]["status"] == "refused", name
        assert f"{name} {words}" in mixed.json["fields"]["files"]["detail"]
        (out / name).write_bytes(kept[name])
    (out / "plan.txt").write_text(f"{(out / 'plan.txt').read_text()}\n")
    ran = cli(*simulate)
    assert ran.code == 0 and "plan.txt is not of the run that wrote" in ran.err
    (out / "plan.txt").unlink()
    assert "plan.txt is missing" in cli("certify", out, "--scene", "office").out
    (out / "plan.txt").write_bytes(kept["plan.txt"])
    (out / "certificate.json").write_text("{}")
    assert "certificate.json is not listed" in cli("certify", out, "--scene", "office").out


def test_json_lists_what_is_not_of_one_run(cli, tmp_path):
    """Each verb that is given a file of the folder, whichever it is, says which of them do not fit."""
    out = tmp_path / "o"
    here = ("--scene", "office", "--json")
    assert cli("plan", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    readers = {
        "simulate": ("simulate", "--plan", out / "plan.txt", *here),
        "simulate, a program": ("simulate", "--plan", out / "program.json", *here),
        "simulate, a record": ("simulate", "--plan", out / "record.json", *here),
        "certify": ("certify", out, *here),
        "check": ("check", "--goal", f"@{out / 'goal.txt'}", *here),
        "plan": ("plan", "--goal", f"@{out / 'goal.txt'}", *here),
        "find": ("find", f"@{tmp_path / 'question'}", *here),
    }
    (tmp_path / "question").write_text("(find (?r - kitchen))")
    assert {name: cli(*read).json["mixture"] for name, read in readers.items()} == {
        name: [] for name in readers
    }
    with (out / "goal.txt").open("a") as goal:
        goal.write("\n")
    (out / "domain.pddl").unlink()
    (out / "certificate.json").write_text("{}")
    found = {name: cli(*read).json["mixture"] for name, read in readers.items()}
    assert found.pop("find") == [], "a question beside no record"
    for name, mixture in found.items():
        words = {one["file"]: one["reason"].partition(";")[0] for one in mixture}
        assert words == {
            str(out / "domain.pddl"): "is missing",
            str(out / "goal.txt"): "is another file",
            str(out / "certificate.json"): "is not listed",
        }, name
    record = json.loads((out / "record.json").read_text())
    (out / "record.json").write_text(json.dumps(record | {"files": "none"}))
    [one] = cli("certify", out, *here).json["mixture"]
    assert one["file"] == str(out / "record.json") and "is no list of files" in one["reason"]


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


def test_symbols_know_the_files_that_they_were_written_with(cli, tmp_path):
    out = tmp_path / "o"
    assert cli("compile", "--scene", "office", "--goal", GOAL, "--out", out).code == 0
    plan = tmp_path / "sas_plan"
    plan.write_text("(no-action)\n")
    simulate = ("simulate", "--scene", "office", "--plan", plan, "--symbols", out / "symbols.json")
    assert "note" not in cli(*simulate).err
    (out / "domain.pddl").unlink()
    assert "note" not in cli(*simulate).err
    (out / "problem.pddl").write_text("(define (problem other))")
    assert "problem.pddl is not of the run that wrote" in cli(*simulate).err
    [one] = mixture_of(out / "symbols.json")
    assert (one.file, one.word) == (out / "problem.pddl", "is another file")


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
