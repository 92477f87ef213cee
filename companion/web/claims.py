"""Who is scoring a match just now: one device at a time, so that two scorers don't write over each other.

A claim is kept in the ledger's settings, so several processes see it. It carries the draft of the round, which the
other scorer sees and takes over with the claim. It lapses when its device is silent for a while. The last word is the
match's version: whoever writes for a version that has passed is refused, claim or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from companion.games.messages import N_
from companion.ledger import Device, Ledger, now
from companion.web.errors import WebError

DRAFT_LIMIT = 32 * 1024


@dataclass(frozen=True)
class Claim:
    """Who scores, since when, and what is typed so far (None: nothing)."""

    device: str
    name: str
    at: str
    draft: Any = None


def _name(match_id: str) -> str:
    return f"claim:{match_id}"


def current(ledger: Ledger, match_id: str, lapse: float) -> Claim | None:
    """The claim that holds now."""
    kept = ledger.setting(_name(match_id))
    if not isinstance(kept, dict):
        return None
    claim = Claim(str(kept["device"]), str(kept["name"]), str(kept["at"]), kept.get("draft"))
    age = (datetime.now(UTC) - datetime.fromisoformat(claim.at)).total_seconds()
    return claim if age < lapse else None


def take(ledger: Ledger, match_id: str, device: Device, lapse: float, draft: Any, *, over: bool) -> Claim:
    """Claim the scoring of a match, or keep it. Raises WebError 409 when another device holds it and not ``over``."""
    held = current(ledger, match_id, lapse)
    if held is not None and held.device != device.id and not over:
        raise taken(held)
    if draft is None and held is not None:
        draft = held.draft
    claim = Claim(device.id, device.name, now(), draft)
    ledger.set_setting(_name(match_id), {"device": claim.device, "name": claim.name, "at": claim.at, "draft": draft})
    return claim


def check(ledger: Ledger, match_id: str, device: Device, lapse: float) -> None:
    """Raise WebError 409 when another device is scoring this match."""
    held = current(ledger, match_id, lapse)
    if held is not None and held.device != device.id:
        raise taken(held)


def release(ledger: Ledger, match_id: str, device: Device, lapse: float) -> None:
    """Let go of the match, if this device holds it."""
    held = current(ledger, match_id, lapse)
    if held is not None and held.device == device.id:
        ledger.set_setting(_name(match_id), None)


def taken(held: Claim) -> WebError:
    """The answer to the second scorer: who is at it, and what is typed so far."""
    return WebError(
        409, "CLAIMED", N_("%(name)s is scoring this round just now."), name=held.name,
        detail={"name": held.name, "since": held.at, "draft": held.draft},
    )  # fmt: skip
