"""The camera over the table: what it sees now, whose it is, and whether the score says the same.

``zones``: where each player lays, drawn once and kept. ``look``: a Scene and zones make a Table. ``compare``: a Table
against the round that was scored last. ``live``: the thread that reads frames and says how the camera is.
"""

from companion.watch.compare import Agreement, Difference, compare
from companion.watch.live import Look, Watch
from companion.watch.look import look
from companion.watch.zones import Zone, ZoneError, Zones, load, save, suggested

__all__ = [
    "Agreement",
    "Difference",
    "Look",
    "Watch",
    "Zone",
    "ZoneError",
    "Zones",
    "compare",
    "load",
    "look",
    "save",
    "suggested",
]
