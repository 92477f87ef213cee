"""The games by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from companion.games.base import Game
from companion.games.carousel.game import Carousel
from companion.games.remi.game import Remi
from companion.games.rummy.game import Rummy

GAMES: Final[Mapping[str, Game[Any]]] = MappingProxyType({game.name: game for game in (Remi(), Carousel(), Rummy())})


class UnknownGameError(ValueError):
    """A game nobody here knows."""


def names() -> tuple[str, ...]:
    """The names of the games, the first the one the companion is for."""
    return tuple(GAMES)


def get(name: str) -> Game[Any]:
    """The game with that name; :class:`UnknownGameError` says which there are."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGameError(f"there is no game {name!r}: there are {', '.join(GAMES)}") from None
