"""Players, rounds and tally: the state of a match as a pure fold over its events.

``apply`` takes a state and an event and gives the next state, or raises and leaves everything as it was. There is no
other way to change a match, so replaying its events from zero gives the live state.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.games import Game, HouseRuleError, HouseRulesBase, UnknownGameError, get
from companion.games.carousel.score import TARGET as CAROUSEL_TARGET
from companion.match.events import (
    DealerSet,
    Entry,
    Event,
    Line,
    MatchEnded,
    MatchReopened,
    MatchStarted,
    Player,
    PlayerRenamed,
    Result,
    RoundEdited,
    RoundRestored,
    RoundScored,
    RoundUndone,
)
from companion.match.faults import ConflictError, Fault, MatchError
from companion.pieces import NotationError, parse_tile

NAME_LIMIT = 40
"""Characters in a player's name."""
POINTS_LIMIT = 1_000_000
"""More points than this in one line or round are a slip of the finger."""
KEY_LIMIT = 100
"""Characters in an event's key, printable ASCII."""


@dataclass(frozen=True)
class Round:
    """A round as it stands now. ``number`` counts from 1 and stays, undone or not."""

    number: int
    result: Result
    at: str = ""
    undone: bool = False
    edits: int = 0

    @property
    def points(self) -> dict[str, int]:
        """Player id -> points of this round."""
        return {entry.player: entry.points for entry in self.result.entries}

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won the round: as stated, else whoever has the most points, if any are above zero."""
        if self.result.winners is not None:
            return self.result.winners
        best = max(self.points.values())
        return tuple(player for player, points in self.points.items() if points == best) if best > 0 else ()


@dataclass(frozen=True)
class Standing:
    """Where a player stands. ``final`` is ``total`` plus the ``bonuses`` of the game's end; ties share a ``rank``."""

    player: str
    total: int
    rounds_won: int
    bonuses: tuple[Line, ...]
    final: int
    rank: int


@dataclass(frozen=True)
class Match:
    """The state of a match. Players are in the order of play: each deals after the one before (RULES.md 1.1.2, 2.1.2).

    In Remi that order goes round to the right, counter-clockwise, in Carousel and Rummy to the left.
    """

    game: str
    players: tuple[Player, ...]
    preset: str
    rules: Mapping[str, object] = field(hash=False)
    target: int | None
    round_limit: int | None
    title: str
    anchors: tuple[tuple[int, str], ...]
    """(n, player): the first round counted after round n was dealt by this player."""
    rounds: tuple[Round, ...] = ()
    ended: bool = False
    """Ended by hand."""
    play_on: bool = False
    """Reopened after its limit was reached: the limit no longer ends it."""
    events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def house_rules(self) -> HouseRulesBase:
        """The house rules this match is played by."""
        return _house_rules(get(self.game), self.preset, self.rules)

    @property
    def version(self) -> int:
        """The number of events so far."""
        return len(self.events)

    @property
    def counted(self) -> tuple[Round, ...]:
        """The rounds that count: all but the undone ones."""
        return tuple(r for r in self.rounds if not r.undone)

    @property
    def totals(self) -> dict[str, int]:
        """Player id -> sum of the rounds that count, without the bonuses of the game's end."""
        totals = {player.id: 0 for player in self.players}
        for round_ in self.counted:
            for player, points in round_.points.items():
                totals[player] += points
        return totals

    @property
    def rounds_won(self) -> dict[str, int]:
        """Player id -> rounds won."""
        won = {player.id: 0 for player in self.players}
        for round_ in self.counted:
            for player in round_.winners:
                won[player] += 1
        return won

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who leads: the player with the most points, or all of them on a tie; nobody before the first round."""
        if not self.counted:
            return ()
        return tuple(s.player for s in self.standings if s.rank == 1)

    def dealer_of(self, number: int) -> str:
        """Who deals or dealt round ``number`` (a number one past the last is the next round)."""
        after, dealer = next(a for a in reversed(self.anchors) if a[0] < number)
        steps = sum(1 for r in self.counted if after < r.number < number)
        return self._next(dealer, steps)

    @property
    def dealer(self) -> str:
        """Who deals the next round."""
        return self.dealer_of(len(self.rounds) + 1)

    @property
    def starter(self) -> str:
        """Who starts the next round: the next after the dealer (RULES.md 1.2.4, 2.1.2, 3 no. 1)."""
        return self._next(self.dealer, 1)

    def _next(self, player: str, steps: int) -> str:
        ids = [p.id for p in self.players]
        return ids[(ids.index(player) + steps) % len(ids)]

    @property
    def reached(self) -> bool:
        """Whether the target or the number of rounds is reached (RULES.md 1.15 R-E7, 2.6, 3 no. 7)."""
        if self.round_limit is not None and len(self.counted) >= self.round_limit:
            return True
        return self.target is not None and max(self.totals.values()) >= self.target

    @property
    def over(self) -> bool:
        """Whether no further round can be scored, unless the match is reopened."""
        return self.ended or (self.reached and not self.play_on)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Best first; with the bonuses of the game's end once the match is over (RULES.md 2.6)."""
        totals, won = self.totals, self.rounds_won
        bonuses: dict[str, tuple[Line, ...]] = {}
        if self.over:
            end = get(self.game).judge_game(totals, won, self.house_rules)
            for player, verdict in end.players:
                lines = Entry.from_verdict(player, verdict).lines
                bonuses[player] = tuple(line for line in lines if line.what != "points_so_far" and line.points)
        final = {p: totals[p] + sum(line.points for line in bonuses.get(p, ())) for p in totals}
        order = sorted(totals, key=lambda p: -final[p])
        return tuple(
            Standing(
                player=p,
                total=totals[p],
                rounds_won=won[p],
                bonuses=bonuses.get(p, ()),
                final=final[p],
                rank=1 + sum(1 for other in final.values() if other > final[p]),
            )
            for p in order
        )

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won the match, all on a tie; nobody while it goes on."""
        return self.leaders if self.over else ()

    def name(self, player: str) -> str:
        """The name of a player. Raises :class:`MatchError` (UNKNOWN_PLAYER)."""
        for candidate in self.players:
            if candidate.id == player:
                return candidate.name
        raise MatchError(Fault.UNKNOWN_PLAYER, player=player)

    def round(self, number: int) -> Round:
        """The round with this number. Raises :class:`MatchError` (UNKNOWN_ROUND)."""
        if not 1 <= number <= len(self.rounds):
            raise MatchError(Fault.UNKNOWN_ROUND, round=number)
        return self.rounds[number - 1]

    def event(self, key: str) -> Event | None:
        """The event with this key, if the match has one."""
        return next((e for e in self.events if e.key == key), None)


def append(match: Match | None, event: Event, expected: int) -> Match:
    """Like :func:`apply`, for a writer who saw version ``expected`` (the number of events, 0 for none).

    An event that is already there changes nothing, whatever version its writer saw: it is the same fact sent twice.
    Raises :class:`ConflictError` when the match has moved on, :class:`MatchError` when the event can't be.
    """
    found = 0 if match is None else match.version
    if expected != found and not (match is not None and _sent_before(match, event)):
        raise ConflictError(expected=expected, found=found)
    return apply(match, event)


def replay(events: Iterable[Event]) -> Match:
    """The state after these events, from zero. Raises :class:`MatchError`; NOT_STARTED when there is none."""
    match: Match | None = None
    for event in events:
        match = apply(match, event)
    if match is None:
        raise MatchError(Fault.NOT_STARTED)
    return match


def apply(match: Match | None, event: Event) -> Match:
    """The state after one more event; None stands for a match not yet started. Raises :class:`MatchError`."""
    if not (0 < len(event.key) <= KEY_LIMIT and event.key.isascii() and event.key.isprintable()):
        raise MatchError(Fault.BAD_EVENT, why=f"a key has 1 to {KEY_LIMIT} printable ASCII characters")
    if match is None:
        if not isinstance(event, MatchStarted):
            raise MatchError(Fault.NOT_STARTED)
        return replace(_start(event), events=(event,))
    if _sent_before(match, event):
        return match
    return replace(_step(match, event), events=(*match.events, event))


def _sent_before(match: Match, event: Event) -> bool:
    earlier = match.event(event.key)
    if earlier is None:
        return False
    if not earlier.same_fact(event):
        raise MatchError(Fault.KEY_REUSED, key=event.key)
    return True


def _start(event: MatchStarted) -> Match:
    try:
        game = get(event.game)
    except UnknownGameError:
        raise MatchError(Fault.UNKNOWN_GAME, game=event.game) from None
    least, most = game.players
    if not least <= len(event.players) <= most:
        raise MatchError(Fault.PLAYER_COUNT, game=game.title, least=least, most=most, found=len(event.players))
    house = _house_rules(game, event.preset, event.rules)
    ids = [p.id for p in event.players]
    for player in event.players:
        if not player.id or ids.count(player.id) > 1:
            raise MatchError(Fault.PLAYER_TWICE, player=player.id)
        _check_name(player.name, [p.name for p in event.players if p.id != player.id])
    if event.dealer not in ids:
        raise MatchError(Fault.UNKNOWN_PLAYER, player=event.dealer)
    for limit in (event.target, event.rounds):
        if limit is not None and not 0 < limit <= POINTS_LIMIT:
            raise MatchError(Fault.BAD_LIMIT, limit=limit)
    if game.name == "carousel" and event.target not in (None, CAROUSEL_TARGET):
        raise MatchError(Fault.CAROUSEL_TARGET, limit=event.target)
    agreed = CAROUSEL_TARGET if game.name == "carousel" else getattr(house, "target", None)
    return Match(
        game=event.game,
        players=event.players,
        preset=event.preset,
        rules=event.rules,
        target=agreed if event.target is None else event.target,
        round_limit=event.rounds,
        title=event.title,
        anchors=((0, event.dealer),),
    )


def _house_rules(game: Game[Any], preset: str, rules: Mapping[str, object]) -> HouseRulesBase:
    try:
        return game.rules({**rules, "preset": preset})
    except HouseRuleError as error:
        raise MatchError(Fault.BAD_RULES, why=f"{error}.") from None


def _step(match: Match, event: Event) -> Match:
    match event:
        case MatchStarted():
            raise MatchError(Fault.ALREADY_STARTED)
        case RoundScored(result=result):
            if match.over:
                raise MatchError(Fault.MATCH_OVER)
            _check_result(match, result)
            return replace(match, rounds=(*match.rounds, Round(len(match.rounds) + 1, result, event.at)))
        case RoundEdited(round=number, result=result):
            _check_result(match, result)
            round_ = match.round(number)
            if round_.undone:
                raise MatchError(Fault.ROUND_IS_UNDONE, round=number)
            return _with_round(match, replace(round_, result=result, edits=round_.edits + 1))
        case RoundUndone(round=number):
            round_ = match.round(number)
            if round_.undone:
                raise MatchError(Fault.ROUND_IS_UNDONE, round=number)
            return _with_round(match, replace(round_, undone=True))
        case RoundRestored(round=number):
            round_ = match.round(number)
            if not round_.undone:
                raise MatchError(Fault.ROUND_NOT_UNDONE, round=number)
            return _with_round(match, replace(round_, undone=False))
        case PlayerRenamed(player=player, name=name):
            match.name(player)
            _check_name(name, [p.name for p in match.players if p.id != player])
            renamed = tuple(replace(p, name=name) if p.id == player else p for p in match.players)
            return replace(match, players=renamed)
        case DealerSet(dealer=dealer):
            match.name(dealer)
            if match.over:
                raise MatchError(Fault.MATCH_OVER)
            return replace(match, anchors=(*match.anchors, (len(match.rounds), dealer)))
        case MatchEnded():
            if match.over:
                raise MatchError(Fault.MATCH_OVER)
            return replace(match, ended=True)
        case MatchReopened():
            if not match.over:
                raise MatchError(Fault.MATCH_NOT_OVER)
            return replace(match, ended=False, play_on=match.reached)
        case _:
            raise MatchError(Fault.BAD_EVENT, why=f"{type(event).__name__} is unknown")


def _with_round(match: Match, round_: Round) -> Match:
    return replace(match, rounds=tuple(round_ if r.number == round_.number else r for r in match.rounds))


def _check_name(name: str, others: list[str]) -> None:
    if not (name.strip() == name and 0 < len(name) <= NAME_LIMIT and name.isprintable()):
        raise MatchError(Fault.BAD_NAME, most=NAME_LIMIT)
    if _folded(name) in map(_folded, others):
        raise MatchError(Fault.NAME_TAKEN, name=name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _check_result(match: Match, result: Result) -> None:
    game = get(match.game)
    seen: set[str] = set()
    for entry in result.entries:
        match.name(entry.player)
        if entry.player in seen:
            raise MatchError(Fault.PLAYER_TWICE, player=match.name(entry.player))
        seen.add(entry.player)
        _check_entry(match.name(entry.player), entry, game)
    for player in match.players:
        if player.id not in seen:
            raise MatchError(Fault.PLAYER_MISSING, player=player.name)
    for named in (*(() if result.closer is None else (result.closer,)), *(result.winners or ())):
        match.name(named)
    if result.winners is not None and len(set(result.winners)) < len(result.winners):
        raise MatchError(Fault.PLAYER_TWICE, player=max(result.winners, key=result.winners.count))
    if result.atu is not None and not (game.name == "remi" and _is_tile(result.atu)):
        raise MatchError(Fault.BAD_ATU, atu=result.atu)


def _check_entry(name: str, entry: Entry, game: Game[Any]) -> None:
    total = sum(line.points for line in entry.lines)
    if total != entry.points:
        raise MatchError(Fault.LINES_DO_NOT_ADD_UP, player=name, sum=total, points=entry.points)
    for points in (entry.points, *(line.points for line in entry.lines)):
        if abs(points) > POINTS_LIMIT:
            raise MatchError(Fault.POINTS_IMPOSSIBLE, player=name, points=points, game=game.title)
    if entry.points < 0 and game.name != "remi":
        raise MatchError(Fault.POINTS_IMPOSSIBLE, player=name, points=entry.points, game=game.title)


def _is_tile(code: str) -> bool:
    try:
        return parse_tile(code).stands is None
    except NotationError:
        return False
