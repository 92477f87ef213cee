"""How fast the rules core is: ``python -m companion.bench [--racks N] [--seed S]``.

Verdicts and round scores as operations a second; the arrangement of racks and tables in milliseconds, beside the
integer program of the package ``rummikub-solver`` (extra ``dev``) on the same pieces in the same run. That package
plays Rummikub (no 1 above the 13, no two real tiles per joker), so the search is comparable, its answers are not.
Times are processor time of this process, each search once, the program's set-up left out.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version

from companion.arrange import best_laying, best_opening, best_rearrangement
from companion.bench_report import Report
from companion.games import carousel
from companion.games.remi import judge_meld
from companion.games.remi.score import TableMeld, score_round
from companion.pieces import CARD_JOKER, CARDS, FULL_SET, JOKER, TILES, Card, Laid, Tile, parse_laid, parse_tiles

Program = Callable[[Sequence[int], Sequence[int]], None]
"""Solves (rack, table), tiles numbered 1..52 by colour and value, 53 the joker."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; prints a table."""
    parser = argparse.ArgumentParser(prog="python -m companion.bench", description="Speed of the rules core.")
    parser.add_argument("--racks", type=int, default=30, help="racks in each row (default 30)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the racks (default 1)")
    args = parser.parse_args(arguments)
    print(header())
    print(f"{'meld verdicts':34}{per_second(_verdicts()):12,.0f} /s   aim >= 100,000")
    print(f"{'round scores, four players':34}{per_second(_scores()):12,.0f} /s   aim >= 10,000")
    program = _program()
    what = f"median (mean) ms, {args.racks} racks"
    print(f"\n{what:34}{'companion':>18}{'rummikub-solver':>22}{'ratio':>8}")
    rng = random.Random(args.seed)
    for size in (14, 15, 20, 40):
        for jokers in (0, 1, 2):
            racks = [_rack(rng, size, jokers) for _ in range(args.racks)]
            ours = [milliseconds(lambda r=r: best_laying(r, objective="tiles")) for r in racks]  # type: ignore[misc]
            _row(f"rack {size}, jokers {jokers}", ours, _theirs(program, [(_numbers(r), ()) for r in racks]))
    for jokers in (0, 1, 2):
        tables = [_table(rng, 40, 14, jokers) for _ in range(args.racks)]
        ours = [milliseconds(lambda t=t: best_rearrangement(*t, objective="tiles")) for t in tables]  # type: ignore[misc]
        sums = [(_numbers(hand), _numbers([c for m in table for c in m])) for table, hand in tables]
        _row(f"rack 14 + table 40, jokers {jokers}", ours, _theirs(program, sums))
    for jokers in (0, 1, 2):
        racks = [_rack(rng, 15, jokers) for _ in range(args.racks)]
        ours = [milliseconds(lambda r=r: best_opening(r)) for r in racks]  # type: ignore[misc]
        _row(f"opening of 15, jokers {jokers}", ours, [])
    for jokers in (0, 1, 2):
        tables = [_table(rng, 60, 10, jokers) for _ in range(args.racks)]
        ours = [milliseconds(lambda t=t: best_rearrangement(*t)) for t in tables]  # type: ignore[misc]
        _row(f"Carousel, table 60, hand 10, j. {jokers}", ours, [])
    return 0


def brief(report: Report, racks: int, seed: int = 1) -> None:
    """The same in a few lines of a longer page: verdicts, scores, and racks by size beside the integer program."""
    report.title("Rules and arrangement (processor time of one core)")
    verdicts, scores = per_second(_verdicts()), per_second(_scores())
    report.line("meld verdicts", f"{verdicts:,.0f} /s", per_second=verdicts)
    share = verdicts / scores
    report.line("round scores, four players", f"{scores:,.0f} /s", f"{share:.0f} verdicts each", per_second=scores)
    program = _program()
    rng = random.Random(seed)
    for size in (14, 20, 40):
        rows = [_rack(rng, size, 1) for _ in range(racks)]
        ours = statistics.median(milliseconds(lambda r=r: best_laying(r, objective="tiles")) for r in rows)  # type: ignore[misc]
        theirs = _theirs(program, [(_numbers(r), ()) for r in rows])
        values = {"ms": ours}
        beside = "rummikub-solver is not installed"
        if theirs:
            values["ratio"] = ours / statistics.median(theirs)
            beside = f"{values['ratio']:.2f} x rummikub-solver"
        report.line(f"rack of {size}, one joker", f"{ours:.2f} ms", beside, **values)


def header() -> str:
    """Machine and versions in one line."""
    found = []
    for package in ("rummikub-solver", "highspy", "scipy", "cvxpy"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return ", ".join([f"{platform.machine()} {_processor()}", python, *found])


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


def milliseconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def per_second(batch: Iterable[Callable[[], object]]) -> float:
    """Calls a second over a batch that is run for at least half a second of processor time."""
    calls = list(batch)
    done = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < 0.5:
        for call in calls:
            call()
        done += len(calls)
    return done / spent


def _row(what: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    line = f"{what:34}{_figures(ours):>18}"
    if theirs:
        line += f"{_figures(theirs):>22}{statistics.median(ours) / statistics.median(theirs):8.2f}"
    elif "Carousel" in what:
        line += f"   worst {max(ours):.0f}, aim <= 100"
    print(line, flush=True)


def _figures(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.2f} ({statistics.mean(times):.2f})"


def _verdicts() -> list[Callable[[], object]]:
    melds = ["r3 r4 r5", "k5 b5 r5", "r12 r13 r1", "r7 * r9 r10", "y1 y2 y3 y4 y5 y6", "b9 k9 *", "r4 * * r7 r8 r9"]
    tiles = [parse_tiles(meld) for meld in melds]
    return [lambda t=t: judge_meld(t) for t in tiles]  # type: ignore[misc]


def _scores() -> list[Callable[[], object]]:
    table = [
        TableMeld("a", parse_laid("r10 r11 r12")),
        TableMeld("a", parse_laid("b4 b5 b6 b7@c")),
        TableMeld("b", parse_laid("k7 k8 k9")),
        TableMeld("c", parse_laid("r9 y9 *")),
        TableMeld("c", parse_laid("y1 y2 y3")),
    ]
    racks = {"a": (), "b": parse_tiles("r1 y13"), "c": parse_tiles("k2 k3 b11"), "d": parse_tiles("r2 r7 b8 * k13 y6")}
    assert isinstance(table[0].tiles[0], Laid)
    return [lambda: score_round(table, racks, closer="a")]


def _rack(rng: random.Random, size: int, jokers: int) -> list[Tile]:
    return rng.sample(FULL_SET[:104], size - jokers) + [JOKER] * jokers


def _table(rng: random.Random, cards: int, hand: int, jokers: int) -> tuple[list[tuple[Card, ...]], list[Card]]:
    """A Carousel table of at least so many cards and a hand with so many jokers, out of two packs."""
    rest = list(CARDS) * 2
    table: list[tuple[Card, ...]] = []
    while sum(map(len, table)) < cards:
        suit, value, size = rng.randrange(4), rng.randrange(13), rng.choice((3, 3, 4, 5))
        meld = [CARDS[suit * 13 + v] for v in range(value, min(13, value + size))]
        if rng.random() < 0.4:
            meld = [CARDS[s * 13 + value] for s in rng.sample(range(4), min(4, size))]
        if carousel.judge_meld(meld).ok:
            left = list(rest)
            try:
                for card in meld:
                    left.remove(card)
            except ValueError:
                continue
            rest = left
            table.append(tuple(meld))
    return table, rng.sample(rest, hand - jokers) + [CARD_JOKER] * jokers


def _numbers(pieces: Iterable[Tile] | Iterable[Card]) -> tuple[int, ...]:
    return tuple(piece.index + 1 for piece in pieces)


def _program() -> Program | None:
    """The integer program of rummikub-solver, warmed up; None where it isn't installed."""
    try:
        from rummikub_solver import RuleSet, SolverMode
    except ImportError:
        print("rummikub-solver is not installed (extra dev): its column stays empty", file=sys.stderr)
        return None
    rules = RuleSet()

    def solve(rack: Sequence[int], table: Sequence[int]) -> None:
        state = rules.new_game()
        state.add_rack(*rack)
        state.add_table(*table)
        state.initial = False
        rules.solve(state, SolverMode.TILE_COUNT)

    solve([t.index + 1 for t in TILES[:14]], ())
    return solve


def _theirs(program: Program | None, sums: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[float]:
    if program is None:
        return []
    return [milliseconds(lambda s=s: program(*s)) for s in sums]  # type: ignore[misc]


if __name__ == "__main__":
    sys.exit(main())
