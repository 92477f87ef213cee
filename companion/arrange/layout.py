"""How a state of the search is packed into an int."""

from __future__ import annotations

from typing import Final

SID: Final = 14
"""Bits of the state of one colour; four of them come first."""
MASK: Final = (1 << SID) - 1
JOKER_AT: Final = 4 * SID
"""Where the jokers in hand stand (2 bits)."""
ONES_AT: Final = JOKER_AT + 2
"""Where the ones kept for the high end stand, three bits a colour."""
EXTRA_AT: Final = ONES_AT + 12
"""Where an opening keeps what it holds (bits HAS_*, 3 bits) and its points so far."""
