"""What the fuzzers send: right input, broken in ways that programs, cables and people break it.

`REMI_FUZZ=100` in the environment asks a hundred times as much, for a long run by hand.
"""

from __future__ import annotations

import copy
import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

TIMES = int(os.environ.get("REMI_FUZZ", "1"))


def bounded(examples: int) -> settings:
    """So many examples, the same ones each time unless asked for more; no time is measured."""
    return settings(
        max_examples=examples * TIMES, deadline=None, derandomize=TIMES == 1, database=None,
        suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )  # fmt: skip


@st.composite
def broken_bytes(draw: st.DrawFn, whole: bytes) -> bytes:
    """A file with some of its bytes changed, cut out, doubled or put in elsewhere, or cut short."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 6))):
        # most of what matters stands at the beginning
        near = draw(st.booleans())
        at = draw(st.integers(0, max(min(len(data), 700 if near else len(data)) - 1, 0)))
        size = draw(st.sampled_from((1, 1, 2, 4, 16, 300)))
        what = draw(st.sampled_from(("change", "flip", "cut", "double", "insert", "end", "extreme")))
        if what == "change":
            data[at : at + size] = draw(st.binary(min_size=size, max_size=size))
        elif what == "flip" and data:
            data[min(at, len(data) - 1)] ^= 1 << draw(st.integers(0, 7))
        elif what == "cut":
            del data[at : at + size]
        elif what == "double":
            data[at:at] = data[at : at + size * 8]
        elif what == "insert":
            data[at:at] = draw(st.binary(max_size=size))
        elif what == "extreme":
            data[at : at + size] = draw(st.sampled_from((b"\xff", b"\x00", b"\x7f"))) * size
        else:
            del data[at:]
    return bytes(data)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-3, 20), st.floats(), st.text(max_size=12),
    st.sampled_from(("r5", "*", "?", "back", "r14", "*=r5", "10H", "tile", "card", "meld", "rack", "p1", "", "\x00")),
)  # fmt: skip
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@st.composite
def broken_json(draw: st.DrawFn, whole: Any) -> Any:
    """A value with some of its parts replaced, left out, doubled or put under other names."""
    value = copy.deepcopy(whole)
    for _ in range(draw(st.integers(1, 4))):
        holder, key = None, None
        inner = value
        while isinstance(inner, (dict, list)) and inner and draw(st.integers(0, 5)) > 0:
            holder = inner
            key = draw(st.sampled_from(sorted(inner))) if isinstance(inner, dict) else draw(
                st.integers(0, len(inner) - 1)
            )
            inner = inner[key]
        if holder is None:
            return draw(JSON) if draw(st.booleans()) else value
        what = draw(st.sampled_from(("replace", "replace", "drop", "double", "rename")))
        if what == "replace":
            holder[key] = draw(JSON)
        elif what == "drop":
            del holder[key]
        elif what == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(inner))
        elif isinstance(holder, dict):
            holder[draw(st.text(max_size=6))] = inner
    return value
