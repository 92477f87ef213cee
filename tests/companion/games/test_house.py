"""House rules check themselves, describe themselves, and come from TOML."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from companion import games
from companion.games import HouseRuleError, HouseRulesBase, carousel, remi, rummy

HOUSES: list[type[HouseRulesBase]] = [games.get(name).house for name in games.names()]


@pytest.mark.parametrize("house", HOUSES)
def test_every_switch_is_described(house: type[HouseRulesBase]) -> None:
    for switch in house.switches():
        assert switch.meaning.endswith(".")
        assert switch.source.startswith("RULES.md ")
        assert switch.allows(switch.default)
        assert getattr(house(), switch.name) == switch.default
        if switch.choices:
            assert switch.choices[0] == switch.default
            assert len(switch.choices) > 1
        for choice in switch.choices or (switch.low, switch.high):
            changed = house(**{switch.name: choice})
            assert house.from_toml(changed.to_toml()) == changed
            assert changed.changes() == ({} if choice == switch.default else {switch.name: choice})


@pytest.mark.parametrize("house", HOUSES)
def test_wrong_values_are_named(house: type[HouseRulesBase]) -> None:
    for switch in house.switches():
        for wrong in ("no such", 7.5, None, -1, 0.0):
            with pytest.raises(HouseRuleError, match=switch.name) as caught:
                house(**{switch.name: wrong})  # type: ignore[arg-type]
            assert (caught.value.switch, caught.value.value) == (switch.name, wrong)
            assert caught.value.allowed == switch.allowed()
            assert caught.value.allowed in str(caught.value)


@pytest.mark.parametrize("house", HOUSES)
def test_they_are_frozen(house: type[HouseRulesBase]) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(house(), house.switches()[0].name, house.switches()[0].default)


def test_truth_is_no_number() -> None:
    with pytest.raises(HouseRuleError):
        remi.HouseRules(joker_ratio=True)
    with pytest.raises(HouseRuleError):
        remi.HouseRules(run14=1)  # type: ignore[arg-type]
    with pytest.raises(HouseRuleError):
        rummy.HouseRules(target=True)


def test_presets() -> None:
    assert remi.HouseRules.preset("seed") == remi.HouseRules()
    assert remi.HouseRules.preset("popular").changes() == {
        "not_opened": "flat100",
        "atu_bonus": "announced",
        "close_joker_double": True,
        "atu_one_or_joker_doubles": True,
        "dubla_same_category": True,
    }
    assert carousel.HouseRules.preset("popular").changes() == {"run14": False}
    assert rummy.HouseRules.preset("popular") == rummy.HouseRules()
    with pytest.raises(HouseRuleError, match="seed or popular"):
        remi.HouseRules.preset("mine")


def test_toml(tmp_path: Path) -> None:
    assert remi.HouseRules.from_toml("opening_min = 50").opening_min == 50
    assert remi.HouseRules.from_toml("[remi]\nopening_min = 50\n[rummy]\ntarget = 200").opening_min == 50
    assert rummy.HouseRules.from_toml("[remi]\nopening_min = 50\n[rummy]\ntarget = 200").target == 200
    popular = remi.HouseRules.from_toml('preset = "popular"\natu_bonus = "closer_used"')
    assert popular.not_opened == "flat100"
    assert popular.atu_bonus == "closer_used"
    file = tmp_path / "house.toml"
    file.write_text("[carousel]\nrun14 = false\n", encoding="utf-8")
    assert carousel.HouseRules.load(file) == carousel.HouseRules(run14=False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("opening_min = ", "no TOML"),
        ("opening = 45", "no switch 'opening'"),
        ("opening_min = 44", "it is 45 or 50"),
        ('preset = "none"', "no preset"),
        ("preset = 5", "no preset"),
    ],
)
def test_wrong_toml_gets_a_sentence(text: str, says: str) -> None:
    with pytest.raises(HouseRuleError, match=says):
        remi.HouseRules.from_toml(text)


def test_another_games_rules_are_refused() -> None:
    with pytest.raises(TypeError, match="rummy"):
        games.get("remi").judge_meld((), rummy.HouseRules())


def test_every_remi_switch_of_the_rules_is_there(shared_rules: str) -> None:
    section = shared_rules.split("### 1.13")[1].split("Suggested second preset")[0]
    written = {name: tuple(values.split("|")) for name, values in re.findall(r"`(\w+)` ([\w|]+)", section)}
    assert written == {
        switch.name: tuple(str(c).lower() if isinstance(c, bool) else str(c) for c in switch.choices)
        for switch in remi.HouseRules.switches()
    }
