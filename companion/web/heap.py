"""Memory of a server with many threads."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8  # malloc.h of the GNU C library


def few_arenas(number: int = 2) -> None:
    """Let threads share so many heaps; to be called before they start. Nothing happens outside the GNU C library.

    It would give up to eight heaps for each core to a hundred waiting watchers, and each of them would grow to the
    largest match that its thread ever put into words: 15 MB more after a hundred rounds.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, number)
