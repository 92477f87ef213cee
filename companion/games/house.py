"""House rules: frozen values that check themselves, describe themselves and load from TOML.

Each game's ``HouseRules`` is a frozen dataclass whose fields are made with :func:`switch`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Self

Value = bool | int | str


class HouseRuleError(ValueError):
    """An unknown switch or a value it can't take. ``switch``, ``value`` and ``allowed`` say which."""

    def __init__(self, switch: str, value: object, allowed: str, problem: str) -> None:
        super().__init__(switch, value, allowed, problem)
        self.switch = switch
        self.value = value
        self.allowed = allowed
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch as a page shows it.

    ``choices``: the allowed values, default first; empty if any whole number in ``low..high`` will do.
    ``meaning``: an English sentence (translatable). ``source``: where RULES.md speaks of it.
    """

    name: str
    default: Value
    choices: tuple[Value, ...]
    meaning: str
    source: str
    low: int = 0
    high: int = 0

    def allows(self, value: object) -> bool:
        """Whether the switch may have this value (``True`` is no 1)."""
        if self.choices:
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        return type(value) is int and self.low <= value <= self.high

    def allowed(self) -> str:
        """The allowed values in words."""
        if not self.choices:
            return f"a whole number from {self.low} to {self.high}"
        words = [str(c).lower() if isinstance(c, bool) else str(c) for c in self.choices]
        return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def switch(*choices: Value, meaning: str, source: str) -> Any:
    """A dataclass field for a switch with these choices, default first."""
    return field(
        default=choices[0], metadata={"default": choices[0], "choices": choices, "meaning": meaning, "source": source}
    )


def number(default: int, low: int, high: int, *, meaning: str, source: str) -> Any:
    """A dataclass field for a whole number in ``low..high``."""
    return field(
        default=default, metadata={"default": default, "low": low, "high": high, "meaning": meaning, "source": source}
    )


@dataclass(frozen=True)
class HouseRulesBase:
    """What the three games' house rules share."""

    game: ClassVar[str] = ""
    popular_changes: ClassVar[tuple[tuple[str, Value], ...]] = ()

    def __post_init__(self) -> None:
        for known in self.switches():
            value = getattr(self, known.name)
            if not known.allows(value):
                raise HouseRuleError(
                    known.name,
                    value,
                    known.allowed(),
                    f"{self.game}: {known.name} can't be {value!r}: it is {known.allowed()}",
                )

    @classmethod
    def switches(cls) -> tuple[Switch, ...]:
        """Every switch, in the order of RULES.md."""
        return tuple(
            Switch(
                f.name,
                f.metadata["default"],
                f.metadata.get("choices", ()),
                f.metadata["meaning"],
                f.metadata["source"],
                f.metadata.get("low", 0),
                f.metadata.get("high", 0),
            )
            for f in fields(cls)
        )

    @classmethod
    def presets(cls) -> tuple[str, ...]:
        """The names :meth:`preset` knows."""
        return ("seed", "popular")

    @classmethod
    def preset(cls, name: str) -> Self:
        """``seed``: the literal text and the defaults of RULES.md; ``popular``: what most tables play."""
        if name == "seed":
            return cls()
        if name == "popular":
            return cls(**dict(cls.popular_changes))
        allowed = " or ".join(cls.presets())
        raise HouseRuleError("preset", name, allowed, f"{cls.game}: there is no preset {name!r}: it is {allowed}")

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Self:
        """From switch names to values; ``preset`` may name the ground the others change."""
        chosen = dict(values)
        name = chosen.pop("preset", "seed")
        base = cls.preset(name) if isinstance(name, str) else cls.preset(repr(name))
        known = {s.name for s in cls.switches()}
        for key in chosen:
            if key not in known:
                allowed = ", ".join(sorted(known))
                raise HouseRuleError(
                    key, chosen[key], allowed, f"{cls.game}: there is no switch {key!r}: there are {allowed}"
                )
        return cls(**{**base.to_mapping(), **chosen})

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """From TOML text: the switches at the top, or in a table named after the game (``[remi]``)."""
        try:
            read = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise HouseRuleError("toml", text, "TOML", f"{cls.game}: the house rules are no TOML: {error}") from None
        own = read.get(cls.game)
        if isinstance(own, dict):
            return cls.from_mapping(own)
        return cls.from_mapping({k: v for k, v in read.items() if not isinstance(v, dict)})

    @classmethod
    def load(cls, path: Path) -> Self:
        """From a TOML file in UTF-8."""
        return cls.from_toml(path.read_text(encoding="utf-8"))

    def to_mapping(self) -> dict[str, Value]:
        """Every switch and its value."""
        return {s.name: getattr(self, s.name) for s in self.switches()}

    def changes(self) -> dict[str, Value]:
        """The switches that differ from the defaults."""
        return {s.name: value for s in self.switches() if (value := getattr(self, s.name)) != s.default}

    def to_toml(self) -> str:
        """TOML text that :meth:`from_toml` reads back as the same rules."""
        words = [
            f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            for name, value in self.to_mapping().items()
        ]
        return "\n".join([f"[{self.game}]", *words, ""])
