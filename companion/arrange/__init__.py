"""The exact best way to lay a rack, under the house rules, with jokers.

::

    best_opening(rack, rules, objective)                # Remi: the best first laying, or what it lacks
    best_laying(rack, table, rules, objective)          # Remi: new melds and attaching, one tile kept to discard
    best_rearrangement(table, hand, rules, objective)   # Carousel: the whole table afterwards
    best_layoff(hand, table, rules, objective)          # Rummy: new melds and lay-offs

Every answer is the best there is: the search is dynamic programming over the values (`companion.arrange.columns`), not
greedy and without a clock. A bound on its size exists; where it is hit the answer says so (``complete`` False).

Why this and not an integer program: the state between two values is only how long the open runs of four colours are,
so a rack of up to 20 tiles takes 1 to 3 ms in pure Python, a third to a tenth of an integer program on the same rack,
with whole numbers, no tolerance and no dependency. Two jokers in a dense rack of 40 tiles, or beside a table of 40,
are where the two draw level: the jokers may go nearly anywhere, and the proof that no place is better takes the time.
`python -m companion.bench` prints both side by side.
"""

from companion.arrange.cards import CardObjective, best_layoff, best_rearrangement
from companion.arrange.remi import Objective, Opening, TableMeld, best_laying, best_opening, rack_points
from companion.arrange.result import ArrangeError, Arrangement, Meld

__all__ = [
    "ArrangeError",
    "Arrangement",
    "CardObjective",
    "Meld",
    "Objective",
    "Opening",
    "TableMeld",
    "best_laying",
    "best_layoff",
    "best_opening",
    "best_rearrangement",
    "rack_points",
]
