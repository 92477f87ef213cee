"""A Scene of the whole table and the players' zones make a Table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from companion.games import HouseRulesBase
from companion.table import Give, Table, read_table
from companion.table.outline import centre
from companion.watch.zones import Zones
from vision.scene import Row, Scene


def look(
    scene: Scene,
    game: str,
    rules: HouseRulesBase | None = None,
    players: Sequence[str] = (),
    zones: Zones | None = None,
) -> Table:
    """See the table as it is now.

    In Remi, melds belong to the player in whose zone they lie (without zones: who sits nearest) and the table is read
    as at a round's end, so that each player has running points. Pieces outside of all zones (the stock, the discards)
    count for nobody and are left out. In the other games the melds are everybody's. Raises TableError.
    """
    seated = (zones or Zones()).seated(players)
    if game != "remi" or not players:
        return read_table(_inside(scene, zones or Zones()), game, rules, as_="table")
    table = read_table(_inside(scene, seated), game, rules, as_="round", players=tuple(players))
    if seated:
        given: dict[str, list[int]] = {}
        for group in table.seen.groups:
            if owner := _owner(table.seen.scene, group.pieces, seated):
                given.setdefault(owner, []).extend(group.pieces)
        table = table.edited([Give(tuple(pieces), owner) for owner, pieces in given.items()])
    return table


def _owner(scene: Scene, pieces: Sequence[int], zones: Zones) -> str | None:
    middles = [centre(scene.pieces[piece].quad) for piece in pieces]
    x = sum(px for px, _ in middles) / len(middles) / scene.width
    y = sum(py for _, py in middles) / len(middles) / scene.height
    return zones.owner(x, y)


def _inside(scene: Scene, zones: Zones) -> Scene:
    """The scene without the rows that lie outside of all zones; all of it where there are none."""
    if not zones:
        return scene
    placed = {n for row in scene.rows for n in row.pieces}
    rows = [*scene.rows, *(Row((n,), "loose") for n in range(len(scene.pieces)) if n not in placed)]
    rows = [row for row in rows if row.pieces and _owner(scene, row.pieces, zones) is not None]
    kept = sorted(n for row in rows for n in row.pieces)
    place = {old: new for new, old in enumerate(kept)}
    return replace(
        scene,
        pieces=tuple(scene.pieces[n] for n in kept),
        rows=tuple(Row(tuple(place[n] for n in row.pieces), row.kind) for row in rows),
    )
