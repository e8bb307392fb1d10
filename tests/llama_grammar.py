"""llama.cpp's own grammar engine, without a model: the functions that its server uses, from xllamacpp.

No Python function leads to them, so the library's C++ symbols are called directly.
"""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path
from typing import Any

INIT = "_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim"
FREE = "_Z23llama_grammar_free_implP13llama_grammar"
ACCEPT = "_Z20llama_grammar_acceptP13llama_grammarj"
STACKS = "_Z24llama_grammar_get_stacksP13llama_grammar"


def library() -> Any | None:
    """The library with its grammar functions; ``None`` where xllamacpp is not installed or has none."""
    found = importlib.util.find_spec("xllamacpp")
    if found is None or found.origin is None:
        return None
    loaded = ctypes.CDLL(str(next(Path(found.origin).parent.glob("*.so"))))
    if not hasattr(loaded, INIT):
        return None
    init = getattr(loaded, INIT)
    init.restype = ctypes.c_void_p
    init.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_bool]
    init.argtypes += [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
    getattr(loaded, FREE).argtypes = [ctypes.c_void_p]
    getattr(loaded, ACCEPT).argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    getattr(loaded, STACKS).argtypes = [ctypes.c_void_p]
    getattr(loaded, STACKS).restype = ctypes.POINTER(ctypes.c_void_p)
    return loaded


class LlamaGrammar:
    """A compiled grammar. Raises ``ValueError`` for one that llama.cpp refuses."""

    def __init__(self, loaded: Any, text: str) -> None:
        self.loaded, self.text = loaded, text.encode()
        getattr(loaded, FREE)(self._new())

    def _new(self) -> int:
        handle = getattr(self.loaded, INIT)(None, self.text, b"root", False, None, 0, None, 0)
        if not handle:
            raise ValueError("llama.cpp refuses the grammar")
        return int(handle)

    def accepts(self, text: str) -> bool:
        """Whether the text is in the language, all of it."""
        handle = self._new()
        try:
            for character in text:
                getattr(self.loaded, ACCEPT)(handle, ord(character))
                if not self._stacks(handle):
                    return False
            return 0 in self._stacks(handle)
        finally:
            getattr(self.loaded, FREE)(handle)

    def _stacks(self, handle: int) -> list[int]:
        """The size of every stack: what the engine still expects, in each way to read the text so far."""
        vector = getattr(self.loaded, STACKS)(handle)  # begin, end and capacity of a vector of vectors
        begin, end = vector[0] or 0, vector[1] or 0
        stacks = (ctypes.c_void_p * (3 * ((end - begin) // 24))).from_address(begin) if end > begin else ()
        return [(stacks[i + 1] or 0) - (stacks[i] or 0) for i in range(0, len(stacks), 3)]
