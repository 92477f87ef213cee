"""One page of figures, for a person and as JSON."""

from __future__ import annotations

from typing import Any

from companion.cli_output import Output


class Report:
    """Takes titles and lines of cells; prints them as they come and keeps the bare values."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.values: dict[str, dict[str, dict[str, float]]] = {}
        self._section: dict[str, dict[str, float]] = {}

    def title(self, text: str) -> None:
        """Begin a section."""
        self._section = self.values.setdefault(text, {})
        self._output.say(f"\n{text}")

    def line(self, name: str, *cells: str, **values: float) -> None:
        """One figure in words, and its numbers by name."""
        self._section[name] = values
        self._output.say("  " + "   ".join([f"{name:32}", *(f"{cell:>14}" for cell in cells)]))

    def give(self, **more: Any) -> None:
        """The values as JSON, where that was asked for."""
        self._output.give({**more, "figures": self.values})
