"""The lock file against setup.cfg: every requirement has a pin that satisfies it, with hashes."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK, DEMO = ROOT / "requirements.lock", ROOT / "demo.lock"
# The Python that the lock file is for.
PLACE = {
    "implementation_name": "cpython",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.0",
    "python_version": "3.11",
    "sys_platform": "linux",
}
PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s\\]+)")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def declared(config: str, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what the package requires with these extras, an extra that names others taken apart."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(config)
    lists = parser["options.extras_require"]
    pending = [parser["options"]["install_requires"], *(lists[extra] for extra in extras)]
    while pending:
        for line in filter(None, pending.pop().splitlines()):
            requirement = Requirement(line)
            if requirement.name == "groundplan":
                pending += [lists[extra] for extra in sorted(requirement.extras)]
            else:
                yield requirement


def pins(lock: str) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in PIN.findall(lock)}


def missing(requirements: Iterable[Requirement], pinned: Mapping[str, str]) -> list[str]:
    """Return the requirements that no pin satisfies on the Python of the lock file."""
    wrong = []
    for requirement in requirements:
        version = pinned.get(canonicalize_name(requirement.name))
        if requirement.marker is not None and not requirement.marker.evaluate(PLACE):
            continue
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            wrong.append(f"{requirement}: {version or 'no pin'}")
    return wrong


def test_every_requirement_of_setup_cfg_has_a_pin() -> None:
    """With all that make and the continuous integration install, and what builds the package."""
    config = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    needed = [*declared(config, ["test", "dev"]), *map(Requirement, build), Requirement("wheel")]
    assert missing(needed, pins(LOCK.read_text(encoding="utf-8"))) == [], "run `make lock`"


def test_every_extra_that_make_installs_is_in_the_lock() -> None:
    config = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    sources = [(ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", ".ci/run")]
    extras = {
        extra
        for text in sources
        for names in re.findall(r"\.with-([a-z][a-z,]*)|\.ci/install \S+ ([a-z,]+)", text)
        for extra in "".join(names).split(",")
    }
    assert {"test", "dev", "docs", "embedded", "ortools"} <= extras
    assert missing(declared(config, sorted(extras)), pins(LOCK.read_text(encoding="utf-8"))) == []


def test_the_demonstration_gets_a_part_of_the_lock_and_nothing_for_development() -> None:
    """The same versions and hashes as everywhere, of what `make demo` needs and what builds the package."""
    config = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    whole, part = LOCK.read_text(encoding="utf-8"), DEMO.read_text(encoding="utf-8")
    needed = [*declared(config, ["embedded", "ortools"]), Requirement("setuptools>=77"), Requirement("wheel")]
    assert missing(needed, pins(part)) == [], "run `make lock`"
    assert pins(part).items() < pins(whole).items() and set(HASH.findall(part)) < set(HASH.findall(whole))
    assert not pins(part).keys() & {
        "pytest",
        "mypy",
        "ruff",
        "hypothesis",
        "matplotlib",
        "distributed",
        "sphinx",
    }


def test_the_bill_of_materials_is_of_every_extra_that_is_used_at_run_time() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    extras = set(parser["options.extras_require"]) - {"test", "dev", "docs"}
    made = re.search(r"^RUN_TIME = (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    said = re.search(r"`make sbom`.*?\(`([a-z,]+)`\)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert made is not None and set(made.group(1).split()) == extras
    assert said is not None and set(said.group(1).split(",")) == extras


@pytest.mark.parametrize("lock", [LOCK, DEMO])
def test_every_pin_has_hashes_and_nothing_else_is_in_the_file(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8").replace("\\\n", "")
    entries = [line for line in text.splitlines() if line.split("#")[0].strip()]
    assert len(entries) == len(pins(text)) > 30
    for entry in entries:
        pin, *hashes = entry.split()
        assert PIN.fullmatch(pin), entry
        assert hashes and all(map(HASH.fullmatch, hashes)), entry
    assert "://" not in text, "an address"


CONFIG = """
[options]
install_requires =
    alpha>=1,<2
[options.extras_require]
more =
    Beta.b==3.*
    gamma>=1; python_version < "3.11"
test =
    groundplan[more]
"""


@pytest.mark.parametrize(
    ("lock", "wrong"),
    [
        ("alpha==1.5\nbeta-b==3.1\n", []),
        ("alpha==2.0\nbeta-b==3.1\n", ["alpha<2,>=1: 2.0"]),
        ("alpha==1.5\n", ["Beta.b==3.*: no pin"]),
    ],
)
def test_what_disagrees_is_named(lock: str, wrong: list[str]) -> None:
    assert missing(declared(CONFIG, ["test"]), pins(lock)) == wrong
