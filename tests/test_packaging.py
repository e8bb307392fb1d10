"""What ships: the package list against the folders, the wheel against the tracked files, the wheel at work.

The oracle for the wheel is the list of files that git tracks. The wheel is built from a copy of exactly these
files, in a folder with a space in its name, and installed where the repository cannot be found by accident.
"""

import configparser
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Files of the root that belong to the package; every other file of the root stays out of the wheel.
ROOT_SHIPS = {"__init__.py", "__init__.pyi", "__main__.py", "py.typed"}
# Folders of the repository that are no packages.
NO_PACKAGES = {"changes", "docs", "examples", "tests", "tools"}


def run(
    *command: str | Path, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command with captured output and fail the test with that output if it does not succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


def setup_cfg() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def lines(value: str) -> list[str]:
    return [line for line in value.splitlines() if line]


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Return the files of the repository, relative to its root: what git tracks or would track."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout, to know which files belong to the project")
    listing = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).stdout
    return sorted(Path(name) for name in set(listing.split("\0")) if name and (ROOT / name).is_file())


@pytest.fixture(scope="session")
def packages() -> list[str]:
    return lines(setup_cfg()["options"]["packages"])


@pytest.fixture(scope="session")
def wheel(tracked: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the tracked files."""
    checkout = tmp_path_factory.mktemp("wheel") / "a check out"
    for name in tracked:
        target = checkout / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    run(
        *(sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"),
        *("--no-deps", "--no-build-isolation", "--wheel-dir", checkout.parent, checkout),
        cwd=checkout.parent,
    )
    (built,) = checkout.parent.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a folder of its own, away from the repository."""
    target = tmp_path_factory.mktemp("installed") / "site"
    run(
        *(sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"),
        *("--no-deps", "--no-index", "--target", target, wheel),
        cwd=wheel.parent,
    )
    return target


def from_wheel(installed: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the installed wheel first on the path, from a folder that is not ours."""
    env = {**os.environ, "PYTHONPATH": str(installed)}
    return run(sys.executable, "-P", *arguments, cwd=cwd, env=env)


def test_every_folder_with_modules_is_a_listed_package(tracked: list[Path], packages: list[str]) -> None:
    folders = {path.parent for path in tracked if path.suffix == ".py"}
    expected = {
        ".".join(("groundplan", *folder.parts))
        for folder in folders
        if not folder.parts or folder.parts[0] not in NO_PACKAGES
    }
    assert sorted(packages) == sorted(expected)
    assert len(packages) == len(set(packages))


def test_every_package_has_an_init(packages: list[str]) -> None:
    missing = [name for name in packages if not ROOT.joinpath(*name.split(".")[1:], "__init__.py").is_file()]
    assert missing == []


def test_package_data_is_given_package_by_package(packages: list[str]) -> None:
    section = setup_cfg()["options.package_data"]
    assert sorted(set(section) - set(packages)) == [], "a wildcard key would ship the files of the root"
    assert lines(section["groundplan"]) == ["py.typed"]


def test_every_data_pattern_matches_a_file() -> None:
    section = setup_cfg()["options.package_data"]
    unused = [
        f"{name}: {pattern}"
        for name, value in section.items()
        for pattern in lines(value)
        if not any(ROOT.joinpath(*name.split(".")[1:]).glob(pattern))
    ]
    assert unused == []


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(
    wheel: Path, tracked: list[Path]
) -> None:
    expected = {
        f"groundplan/{path.as_posix()}"
        for path in tracked
        if (path.name in ROOT_SHIPS if len(path.parts) == 1 else is_shipped(path))
    }
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    metadata = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    assert sorted(expected - names - metadata) == [], "missing in the wheel: see package_data in setup.cfg"
    assert sorted(names - metadata - expected) == [], "ships and should not"
    assert {"LICENSE", "NOTICE", "entry_points.txt"} <= {Path(name).name for name in metadata}


def is_shipped(path: Path) -> bool:
    return path.parts[0] not in NO_PACKAGES and not path.parts[0].startswith(".")


def test_the_wheel_runs_away_from_the_repository(installed: Path, tmp_path: Path) -> None:
    origin = from_wheel(installed, tmp_path, "-c", "import groundplan.domains as m; print(m.__file__)").stdout
    assert Path(origin.strip()) == installed / "groundplan" / "domains" / "__init__.py"
    assert "groundplan" in from_wheel(installed, tmp_path, "-m", "groundplan", "--help").stdout
    assert (installed / "bin" / "groundplan").is_file()


def test_the_wheel_brings_no_top_level_module_but_its_own(installed: Path) -> None:
    found = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert found == {"bin", "groundplan"}


def test_the_main_job_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    done = from_wheel(
        *(installed, tmp_path, "-m", "groundplan", "plan"),
        *("--scene", "office", "--goal", "(closed cabinet5)", "--json"),
    )
    result = json.loads(done.stdout)
    assert result["outcome"] == "verified"
    assert result["verified"] is True
    assert result["plan"], "the goal was already true"


def test_our_folders_do_not_hide_other_packages(tmp_path: Path, packages: list[str]) -> None:
    folders = sorted({name.split(".")[1] for name in packages if "." in name})
    code = f"import importlib.util as u; print(*(s.origin for n in {folders!r} if (s := u.find_spec(n))))"
    assert str(ROOT) not in run(sys.executable, "-P", "-c", code, cwd=tmp_path).stdout
