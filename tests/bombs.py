"""Files, options and sentences that are made to hang groundplan or to use up its memory, by name.

A :class:`Bomb` writes its files into a folder and returns the arguments of a command line that meets them
there. Each has to end with its exit code, within bounds of memory and time; a new one is a line in `BOMBS`.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from groundplan.domains.pack import template_texts

Make = Callable[[Path], list[str]]
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Bomb:
    """A way to make one; ``words`` of the message say that it was refused for what it is.

    The ``quick`` ones run in every test run. A ``code`` of 0 is that of files that are large, and good.
    """

    make: Make
    words: str
    quick: bool = False
    code: int = 2


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def text(content: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(content) and None


def packed(content: bytes, times: int = 1, head: bytes = b"", tail: bytes = b"") -> Callable[[Path], None]:
    """Gzip of a repeated text, written without having the text as a whole."""

    def write(path: Path) -> None:
        with gzip.open(path, "wb", compresslevel=9) as file:
            file.write(head)
            piece = content * min(times, 100_000)
            for _ in range(times // min(times, 100_000)):
                file.write(piece)
            file.write(content * (times % min(times, 100_000)) + tail)

    return write


def pack(name: str, write: Callable[[Path], None]) -> Make:
    """A pack of which one file is the bomb."""

    def make(folder: Path) -> list[str]:
        for file, content in template_texts().items():
            (folder / file).write_text(content)
        (folder / name).unlink()
        write(folder / name)
        return ["check", "--pack", ".", "--scene", "scene.json", "--goal", "(measured vial1)"]

    return make


def changed(name: str, before: str, after: str) -> Make:
    """A pack with another text at one place of a file."""
    whole = template_texts()[name]
    assert whole.count(before) == 1
    return pack(name, text(whole.replace(before, after)))


def added(name: str, more: str) -> Make:
    """A pack with more text at the end of a file."""
    return pack(name, text(template_texts()[name] + more))


def profiles(write: Callable[[Path], None]) -> Make:
    def make(folder: Path) -> list[str]:
        write(folder / "profiles.toml")
        return [
            "plan",
            "Tidy up.",
            "--scene",
            "office",
            "--reader",
            "openai:m",
            "--profiles",
            "profiles.toml",
        ]

    return make


def scene(write: Callable[[Path], None], name: str = "scene.json", *verb: str) -> Make:
    def make(folder: Path) -> list[str]:
        write(folder / name)
        return [*(verb or ("scene", "validate")), name]

    return make


def converted(write: Callable[[Path], None], form: str) -> Make:
    def make(folder: Path) -> list[str]:
        write(folder / "scene.json")
        return ["scene", "convert", "scene.json", "written", "--to", form]

    return make


def arguments(*given: str) -> Make:
    return lambda folder: list(given)


def local(write: Callable[[Path], None]) -> Make:
    def make(folder: Path) -> list[str]:
        (folder / "xllamacpp.py").write_text("")
        write(folder / "m.gguf")
        return ["plan", "Tidy up.", "--scene", "office", "--reader", "local:m.gguf"]

    return make


def plan(goal: str) -> Make:
    return arguments("plan", "--scene", "office", "--goal", goal)


TYPES = "(:types\n    place thing - object"


def chain(count: int) -> str:
    """Types each below the one before."""
    return f"{TYPES} t0 - object " + " ".join(f"t{n} - t{n - 1}" for n in range(1, count))


def native(nodes: bytes) -> dict[str, bytes]:
    return {"head": b'{"format":"groundplan-scene","version":1,"nodes":[' + nodes, "tail": b"{}]}"}


def stacks(path: Path) -> None:
    """Boxes in boxes, as deep as they may be."""
    boxes(path, 499)


def boxes(path: Path, depth: int = 20_000) -> None:
    """Boxes in boxes, 20,000 in all."""
    nodes: list[dict[str, str]] = [
        {"id": "room1", "type": "room"},
        {"id": "table1", "type": "asset", "parent": "room1"},
    ]
    for n in range(20_000):
        inside = n % depth != 0
        nodes.append({"id": f"box{n}", "type": "object", "parent": f"box{n - 1}" if inside else "table1"})
        nodes[-1]["relation"] = "inside_of" if inside else "ontop_of"
    nodes.append({"id": "agent", "type": "agent", "parent": "room1", "at": "room1"})
    path.write_text(json.dumps({"format": "groundplan-scene", "version": 1, "nodes": nodes, "links": []}))


def lists(path: Path, megabytes: int = 500) -> None:
    with path.open("w") as file:
        file.write("[")
        piece = "[]," * (MEGABYTE // 3)
        for _ in range(megabytes):
            file.write(piece)
        file.write("[]]")


def different(count: int, before: str, after: str) -> Callable[[Path], None]:
    """Gzip of different keys or texts."""

    def write(path: Path) -> None:
        with gzip.open(path, "wt", compresslevel=1) as file:
            file.write(f'{before[0]}{before[1:]}x"{after}')
            for n in range(count):
                file.write(f',"{n:x}"{after}')
            file.write("}" if before[0] == "{" else "]")

    return write


def named(count: int, name: str) -> Callable[[Path], None]:
    """A problem of PDDL with different names, of a type that does not exist."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            file.write(OBJECTS.decode())
            file.writelines(f"{name}{n}\n" for n in range(count))
            file.write("- nothing) (:init ))")

    return write


def spark(
    nodes: int, edge: str = "", last: str = "", node: str = '"type":"ObjectNodeAttributes"'
) -> Callable[[Path], None]:
    """A plain Spark-DSG file, ``last`` for the last of its edges; # in ``node`` is its number."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            file.write('{"SPARK_DSG_header":{},"edges":[')
            file.writelines(f"{edge}," for _ in range(nodes if edge else 0))
            file.write(last + '],"layer_ids":[2],"nodes":[')
            for n in range(nodes):
                file.write(f'{{"id":{n},"layer":2,"attributes":{{{node.replace("#", f"{n:x}")}}}}},')
            file.write(f'{{"id":{nodes},"layer":2,"attributes":{{}}}}]}}')

    return write


def parts(
    count: int,
    part: str,
    nodes: int = 1,
    node: str = "",
    name: str = "k",
    layers: tuple[int, ...] = (2,),
) -> Callable[[Path], None]:
    """A plain Spark-DSG file that has some value so many times beside its nodes."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            file.write('{"SPARK_DSG_header":{},"edges":[],"nodes":[')
            for n in range(nodes):
                layer = layers[n % len(layers)]
                file.write(f'{"," if n else ""}{{"id":{n},"layer":{layer},"attributes":{{{node}}}}}')
            file.write("]")
            file.writelines(f',"{name}{n or ""}":{part}' for n in range(count))
            file.write("}")

    return write


def repeated(head: str, piece: str, times: int, tail: str) -> Callable[[Path], None]:
    """A plain file of a repeated text."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            file.write(head)
            for _ in range(times // 1000):
                file.write(piece * 1000)
            file.write(tail)

    return write


FULL = (
    '"type":"ObjectNodeAttributes","position":[0.0,0.0,0.0],"name":"cup","semantic_label":5,"color":'
    '{"r":1,"g":1,"b":1},"bounding_box":{"type":"INVALID","dimensions":[0.1,0.2,0.3],"world_P_center":'
    '[0.5,0.5,0.5],"world_R_center":{"w":1.0,"x":0.0,"y":0.0,"z":0.0}},"semantic_feature":{"rows":0,'
    '"cols":0,"data":null},"world_R_object":{"w":1.0,"x":0.0,"y":0.0,"z":0.0},"mesh_connections":'
    + json.dumps(list(range(100)))
)
WORDS = ",".join(f'"#_{n:x}"' for n in range(560))
ROOM = '{"id":1,"class_name":"room","category":"Rooms"}'
CLOSE = '{"from_id":1,"relation_type":"CLOSE","to_id":1},'
OBJECTS = b"(define (problem p) (:domain taskography) (:objects "
LAST = "\n[x]\n"
KEY = ".".join("a" * 20_000)
WARM = "(warm ?b - bench)"
VIALS = "(vial ?t) (lies_on ?t ?b))"
COST = "(increase (total-cost) 500)"
NODES = b'{"id":"a"},'
DEEP = "at most 500 nodes above"
MEMORY = "MB of memory"
TEXT = "at most 128000000 bytes"
PARTS = "keys of at most 64 parts"
TWO = "at most 2000000 nodes"
MANY = "1" + "0" * 30
APPLES = "Put the banana" + " and the apple" * 3000 + " into the fridge."

BOMBS: dict[str, Bomb] = {
    **{
        f"pack: {name}, {kind}": Bomb(pack(name, write), "a regular file", quick)
        for name in ("mapping.toml", "domain.pddl", "language.toml")
        for kind, write, quick in (("a pipe", pipe, name == "domain.pddl"), ("endless", endless, False))
    },
    "pack: a key of 20,000 parts": Bomb(added("mapping.toml", f"{LAST}{KEY} = 1\n"), PARTS, True),
    "pack: a table of 20,000 parts": Bomb(added("mapping.toml", f"\n[{KEY}]\n"), PARTS),
    "pack: a key of quoted parts": Bomb(
        added("mapping.toml", LAST + ".".join(['"!"'] * 20_000) + " = 1"), PARTS
    ),
    "pack: a key of long parts": Bomb(
        added("mapping.toml", LAST + ".".join(["b" * 81] * 10_000) + " = 1"), PARTS
    ),
    "pack: a key in braces": Bomb(added("mapping.toml", f"\nx = {{{KEY} = 1}}\n"), PARTS),
    "pack: a wording of one key": Bomb(added("language.toml", f"{LAST}{KEY} = 1\n"), PARTS),
    "pack: 7,000 keys of 60 parts": Bomb(
        added("mapping.toml", LAST + "".join(f"x{n}{'.a' * 59} = 1\n" for n in range(7_000))),
        "dots outside of texts",
    ),
    "pack: 7,000 tables of 60 parts": Bomb(
        added("mapping.toml", "\n" + "".join(f"[x{n}{'.a' * 59}]\n" for n in range(7_000))),
        "dots outside of texts",
    ),
    "pack: 1,600 keys of 60 parts": Bomb(
        added("mapping.toml", LAST + "".join(f"x{n}{'.a' * 59} = 1\n" for n in range(1_600))), "a known table"
    ),
    "pack: 80,000 tables": Bomb(
        added("mapping.toml", "\n" + "".join(f"[x.a{n}]\n" for n in range(80_000))), "a known table"
    ),
    "pack: 90,000 keys": Bomb(
        added("mapping.toml", LAST + "".join(f"a{n}=0\n" for n in range(90_000))), "a known table"
    ),
    "pack: 300,000 lists": Bomb(added("mapping.toml", f"{LAST}a = [{'[],' * 300_000}]\n"), "a known table"),
    "pack: 150,000 tables in a list": Bomb(
        added("mapping.toml", f"{LAST}a = [{'{a=0},' * 150_000}]\n"), "a known table"
    ),
    "pack: deep tables": Bomb(added("mapping.toml", "\nx = " + "{a=" * 20_000), "valid TOML", True),
    "pack: deep lists": Bomb(added("mapping.toml", "\nx = " + "[" * 50_000), "valid TOML"),
    "pack: a number of 5000 digits": Bomb(added("mapping.toml", "\nx = " + "9" * 5000), "valid TOML"),
    "pack: a cost of ²": Bomb(changed("domain.pddl", COST, "(increase (total-cost) ²)"), "millimetres", True),
    "pack: a cost of 5000 digits": Bomb(
        changed("domain.pddl", COST, f"(increase (total-cost) {'9' * 5000})"), "millimetres"
    ),
    "pack: a chain of 20,000 types": Bomb(
        changed("domain.pddl", TYPES, chain(20_000)), "no findings", True, 0
    ),
    "pack: a chain of 60,000 types": Bomb(
        changed("domain.pddl", TYPES, chain(60_000)), "no findings", code=0
    ),
    "pack: a circle of 20,000 types": Bomb(
        changed("domain.pddl", TYPES, chain(20_000).replace("t0 - object", "t0 - t19999")),
        "types without cycles",
    ),
    "pack: 500,000 words": Bomb(changed("domain.pddl", TYPES, f"{TYPES} {'t ' * 500_000}"), "", code=0),
    "pack: 500,000 lists": Bomb(
        changed("domain.pddl", TYPES, f"{TYPES} {'()' * 500_000}"), "expected a word"
    ),
    "pack: 900,000 brackets": Bomb(changed("domain.pddl", TYPES, "(" * 900_000), "nested brackets"),
    "pack: 100,000 variables": Bomb(
        changed("domain.pddl", WARM, f"(warm {' '.join(f'?v{n}' for n in range(100_000))})"),
        "100000 arguments",
    ),
    "pack: 100,000 predicates": Bomb(
        changed("domain.pddl", WARM, WARM + "".join(f"(p{n})" for n in range(100_000))), "", code=0
    ),
    "pack: 80,000 conditions": Bomb(
        changed("domain.pddl", VIALS, VIALS[:-1] + "(vial ?t)" * 80_000 + ")"), "", code=0
    ),
    "profiles: a pipe": Bomb(profiles(pipe), "a regular file"),
    "profiles: endless": Bomb(profiles(endless), "a regular file"),
    "profiles: a key of 40 kB": Bomb(profiles(text(f"[models.m]\n{KEY} = 1\n")), PARTS),
    "profiles: deep lists": Bomb(profiles(text("x = " + "[" * 50_000)), "nested too deeply"),
    "profiles: deep tables": Bomb(profiles(text("x = " + "{a=" * 50_000)), "nested too deeply"),
    "profiles: a number of 5000 digits": Bomb(profiles(text("x = " + "9" * 5000)), "cannot be read"),
    "model: a pipe": Bomb(local(pipe), "a regular file"),
    "model: endless": Bomb(local(endless), "a regular file"),
    "scene: a pipe": Bomb(scene(pipe), "a regular file", True),
    "scene: endless": Bomb(scene(endless), "a regular file"),
    "scene: 21 MB of lists packed": Bomb(
        scene(packed(b"[],", 6_900_000, b"[", b"[]]")), "known scene format"
    ),
    "scene: 64 MB of lists packed": Bomb(scene(packed(b"[],", 22_000_000, b"[", b"[]]")), MEMORY, True),
    "scene: 256 MB of lists packed": Bomb(scene(packed(b"[],", 88_000_000, b"[", b"[]]")), TEXT),
    "scene: 500 MB of lists": Bomb(scene(lists), TEXT),
    "scene: 500 MB of spaces packed": Bomb(scene(packed(b" ", 500_000_000)), TEXT),
    "scene: 2 GB packed": Bomb(scene(packed(b" ", 2_000_000_000)), TEXT),
    "scene: 24 MB of objects packed": Bomb(
        scene(packed(b"{},", 8_000_000, b"[", b"{}]")), "one scene, or --item"
    ),
    "scene: objects of a number": Bomb(
        scene(packed(b'{"a":0},', 3_400_000, b"[", b"{}]")), "one scene, or --item"
    ),
    "scene: lists of a number": Bomb(scene(packed(b"[0],", 3_400_000, b"[", b"[]]")), "known scene format"),
    "scene: lists of a list": Bomb(scene(packed(b"[[]],", 3_400_000, b"[", b"[]]")), "known scene format"),
    "scene: fractions": Bomb(scene(packed(b"0.1,", 6_900_000, b"[", b"0]")), "known scene format"),
    "scene: 64 MB of nodes packed": Bomb(scene(packed(NODES, 6_000_000, **native(b""))), MEMORY),
    "scene: 8 MB of nodes packed": Bomb(scene(packed(NODES, 700_000, **native(b""))), "nodes[0]"),
    "scene: nodes that are lists": Bomb(scene(packed(b"[],", 6_900_000, **native(b""))), "nodes[0]"),
    "scene: different keys": Bomb(scene(different(7_000_000, '{"', ":0")), MEMORY),
    "scene: fewer different keys": Bomb(scene(different(1_000_000, '{"', ":0")), "known scene format"),
    "scene: different texts": Bomb(scene(different(6_900_000, '["', "")), "known scene format"),
    "scene: a wide letter": Bomb(
        scene(packed(b"[],", 30_000_000, '["\U0001f600",'.encode(), b"[]]")), MEMORY
    ),
    "scene: wide letters": Bomb(scene(packed("x\U0001f600".encode(), 30_000_000, b'["', b'"]')), TEXT),
    "scene: escaped wide letters": Bomb(
        scene(packed(rb'"xxxxxxxxxxxxxxxxxxxx\ud83d\ude00",', 2_000_000, b"[", b"0]")), "known scene format"
    ),
    "scene: a VirtualHome graph of 57 MB, the last edge wrong": Bomb(
        scene(repeated(f'{{"nodes":[{ROOM}],"edges":[', CLOSE, 1_200_000, "0]}")), "edges[1200000]"
    ),
    "scene: a node-link graph of 60 MB, the last edge wrong": Bomb(
        scene(
            repeated(
                '{"directed":true,"nodes":[{"id":1,"type":"room"}],"edges":[',
                '{"source":1,"target":1},',
                2_500_000,
                "0]}",
            )
        ),
        "edges[2500000]",
    ),
    "scene: a scene of 60 MB, the last link wrong": Bomb(
        scene(
            repeated(
                '{"format":"groundplan-scene","version":1,"nodes":[{"id":"r","type":"room"}],"links":[',
                '{"a":"r","b":"r"},',
                3_300_000,
                "0]}",
            )
        ),
        MEMORY,
    ),
    "scene: a house of 60 MB": Bomb(
        scene(repeated('{"rooms":[', '{"floorPolygon":[]},', 3_000_000, "0]}")), "rooms[0].id"
    ),
    "scene: houses of 150 MB, one a line": Bomb(
        scene(repeated("", '{"rooms":[{"floorPolygon":[]}]}\n', 4_700_000, "")), TEXT
    ),
    "scene: houses of 48 MB, one a line": Bomb(
        scene(repeated("", '{"rooms":[{"floorPolygon":[]}]}\n', 1_500_000, "")), "one house, or --item"
    ),
    "scene: a Spark-DSG file of 83 MB, the last edge wrong": Bomb(
        scene(spark(100_000, '{"source":1,"target":2}', '{"source":1,"target":-1}', FULL)),
        "edges[100000].target",
    ),
    "scene: a Spark-DSG file of many edges": Bomb(
        scene(spark(1_000_000, '{"source":1,"target":2,"weighted":false}', "{}")), MEMORY
    ),
    "scene: a Spark-DSG file of one large node": Bomb(
        scene(spark(1, "", "", f'"x":[{"123456789012," * 5_000_000}0]')), "valid", code=0
    ),
    "scene: a Spark-DSG file of 130 MB": Bomb(scene(spark(165_000, "", "", FULL)), TEXT),
    "scene: a Spark-DSG file of many words": Bomb(
        scene(
            spark(
                20_000,
                "",
                "",
                f'"metadata":{{"groundplan":{{"id":"n#","type":"room","attributes":[{WORDS}]}}}}',
            )
        ),
        "valid",
        code=0,
    ),
    "scene: a Spark-DSG file of wide letters": Bomb(
        scene(spark(2, "", "", f'"name":"{"x" * 30_000_000}\U0001f600"')), "valid", code=0
    ),
    "scene: a Spark-DSG file of many parts": Bomb(
        scene(parts(120, '{"x":[' + "0.5," * 250_000 + "0]}")), MEMORY
    ),
    "scene: a Spark-DSG file of 2,000 large parts": Bomb(
        scene(parts(2_000, '{"x":"' + "y" * 50_000 + '"}')), "valid", code=0
    ),
    "scene: a Spark-DSG file of 1,100,000 parts": Bomb(scene(parts(1_100_000, "0")), "valid", code=0),
    "scene: a Spark-DSG file of 20,000 labels": Bomb(
        scene(
            parts(
                1,
                json.dumps({"labelspaces": {"_l2p0": [[n, f"cup{n}"] for n in range(20_000)]}}),
                20_000,
                '"type":"ObjectNodeAttributes","semantic_label":1',
                "metadata",
            )
        ),
        "valid",
        code=0,
    ),
    "scene: a Spark-DSG file of 20,000 objects and rooms": Bomb(
        scene(parts(1, '{"OBJECTS":2,"ROOMS":4}', 40_000, '"position":[1,2,3]', "layer_names", (2, 4))),
        "valid",
        code=0,
    ),
    "scene: 60 MB of PDDL packed": Bomb(
        scene(
            packed(b"(inroom a b)", 5_000_000, b"(define (problem p) (:domain taskography) (:init ", b"))")
        ),
        "bytes of PDDL",
    ),
    "scene: 15,000,000 words of PDDL": Bomb(
        scene(packed(b"a\n", 15_000_000, OBJECTS, b"- item) (:init ))")), "1800000 words and lists of PDDL"
    ),
    "scene: 449,000 facts of PDDL": Bomb(
        scene(packed(b"(inroom a b)", 449_000, OBJECTS + b"a - agent b - room) (:init ", b"(x))")),
        "matching brackets",
    ),
    "scene: 1,799,000 names of PDDL": Bomb(scene(named(1_799_000, "name")), "a type of the Taskography"),
    "scene: 1,799,000 wide names of PDDL": Bomb(scene(named(1_799_000, "жо")), "a type of the Taskography"),
    "scene: PDDL with a wide letter": Bomb(
        scene(packed(b"a" * 16, 1_300_000, OBJECTS + "\U0001f600 ".encode(), b" - item) (:init ))")),
        "wide characters",
    ),
    "scene: 60 MB of Python packed": Bomb(
        scene(packed(b"[1, 2],", 9_000_000, b'x = {"rooms": {"a": [', b"]}}"), "scene.py"),
        "in a known format",
    ),
    "scene: boxes in boxes, shown": Bomb(scene(boxes, "scene.json", "scene", "show"), DEEP, True),
    "scene: boxes in boxes, a sentence": Bomb(
        scene(boxes, "scene.json", "plan", "Put box3 on the table.", "--scene"), DEEP
    ),
    **{
        f"scene: {name}, to {form}": Bomb(converted(write, form), words, code=code)
        for name, write, words, code in (
            ("boxes in boxes", boxes, DEEP, 2),
            ("41 stacks of boxes", stacks, "written", 0),
        )
        for form in ("virtualhome", "lookplangraph", "sayplan")
    },
    "generate: 10^30 nodes": Bomb(arguments("scene", "generate", "--nodes", MANY), TWO, True),
    "generate: 10^30 rooms": Bomb(arguments("scene", "generate", "--rooms", MANY), TWO),
    "generate: 10^30 floors": Bomb(arguments("scene", "generate", "--floors", MANY, "--rooms", MANY), TWO),
    "generate: 10^30 objects": Bomb(arguments("scene", "generate", "--objects", MANY), TWO),
    "generate: 10^4000 nodes": Bomb(arguments("scene", "generate", "--nodes", "1" + "0" * 4000), TWO),
    "sentence: 42 kB": Bomb(arguments("plan", APPLES, "--scene", "office"), "at most 2000 characters", True),
    "sentence: 42 kB, to search": Bomb(
        arguments("search", APPLES, "--scene", "office"), "at most 2000 characters"
    ),
    "goal: 100,000 brackets": Bomb(plan("(" * 100_000), "too-deep"),
}
