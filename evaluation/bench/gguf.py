"""Quantisation of a model, from the metadata of its GGUF file or from its name.

The file says it as ``general.file_type``, a number of llama.cpp (``llama_ftype``). Files come from anybody:
what is read is bounded, and nothing but that number is taken from it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ...domains.files import open_regular

FILE_TYPES: Mapping[int, str] = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
    19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
    26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0",
    37: "TQ2_0", 38: "MXFP4_MOE",
}  # fmt: skip
KEY = b"general.file_type"
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value, by the number of its type."""
UINT32, STRING, ARRAY = 4, 8, 9
MOST_VALUES = 2**22
"""Most keys and items of lists that are passed over, which vocabularies have by the hundred thousand."""
_NAMED = re.compile(
    r"(?i)(?<![a-z0-9])(I?Q[1-8](?:_[0-9A-Z]+)*|TQ[12]_0|MXFP4(?:_[A-Z]+)*|BF16|F16|F32)(?![a-z0-9])"
)


def quantisation(path: Path) -> str:
    """Return the quantisation of a model file as llama.cpp calls it (``Q4_K_M``), nothing if it is not said.

    Raises ``OSError`` for a file that cannot be read, and :class:`InputError` for what is no file.
    """
    with open_regular(path) as file:
        try:
            return FILE_TYPES.get(_file_type(file), "")
        except (struct.error, OverflowError):  # cut off, or no such file at all
            return ""


def named_quantisation(name: str) -> str:
    """Return the quantisation that a name of a model or file has in it, nothing without one.

    >>> named_quantisation("qwen2.5-coder-7b-instruct-q4_k_m.gguf"), named_quantisation("gpt-4o")
    ('Q4_K_M', '')
    """
    match = _NAMED.search(name.removesuffix(".gguf"))
    return match.group(1).upper() if match else ""


def _file_type(file: BinaryIO) -> int:
    """Return the number of a file's type, -1 where there is none."""
    magic, version, _, keys = _unpacked(file, "<4sIQQ")
    left = MOST_VALUES
    if magic != b"GGUF" or version not in (2, 3):
        return -1
    for _ in range(min(keys, left)):
        key = file.read(_length(file))
        (kind,) = _unpacked(file, "<I")
        if key == KEY and kind == UINT32:
            return int(_unpacked(file, "<I")[0])
        items = 1
        if kind == ARRAY:
            kind, items = _unpacked(file, "<IQ")
        left -= items
        if left < 0 or kind not in (*SIZES, STRING):
            return -1
        for size in (_length(file) for _ in range(items)) if kind == STRING else (items * SIZES[kind],):
            file.seek(size, 1)
    return -1


def _length(file: BinaryIO) -> int:
    """Return the length of the text that follows. Raises ``struct.error`` for one of more than 16 MiB."""
    (length,) = _unpacked(file, "<Q")
    if length > 2**24:
        raise struct.error("too long")
    return int(length)


def _unpacked(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))
