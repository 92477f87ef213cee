"""The events of all matches on disk: SQLite by default, PostgreSQL by URL.

One event is one transaction. On SQLite every confirmed event has been flushed to the disk (WAL, synchronous=FULL), so
a pulled plug loses nothing that was confirmed and leaves nothing half. A match is what the fold of its events says
(``companion.match``); the ledger keeps no second truth beside them.
"""

from companion.ledger.ledger import CHANNEL, EVENT_LIMIT, Device, Ledger, MatchInfo, hash_token, match_id_of, now
from companion.ledger.schema import DamagedLedgerError, LedgerError
from companion.ledger.watch import Watch

__all__ = [
    "CHANNEL",
    "EVENT_LIMIT",
    "DamagedLedgerError",
    "Device",
    "Ledger",
    "LedgerError",
    "MatchInfo",
    "Watch",
    "hash_token",
    "match_id_of",
    "now",
]
