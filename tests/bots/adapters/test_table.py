"""Tests the table of adapters."""

from __future__ import annotations

import importlib
import inspect

import pytest

from bots.adapters.base import AdapterBot, BadSetting
from bots.adapters.table import ADAPTERS, prepare


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_table_matches_the_modules(name: str) -> None:
    adapter = ADAPTERS[name]
    module = importlib.import_module(adapter.module)
    (found,) = (
        thing
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, AdapterBot)
        and thing.__module__ == adapter.module
    )
    assert found.name == name
    arguments = inspect.signature(module.prepare).parameters
    options = {option.key: option for option in adapter.options}
    assert options.keys() == arguments.keys()
    for key, option in options.items():
        default = arguments[key].default
        assert option.required == (default is inspect.Parameter.empty)
        if not option.required and default not in ("", None):
            # The help texts are correct.
            assert option.type(option.default) == default


@pytest.mark.parametrize(
    ("name", "given", "complaint"),
    [
        ("openai", {"model": "m"}, "openai needs --endpoint URL, --persona FILE"),
        ("chatscript", {"model": "m"}, "chatscript has no option --model"),
        ("chatscript", {"colour": "red"}, "chatscript has no option .*colour"),
        ("command", {"command": None}, 'command needs --command "PROGRAM ARGS"'),
    ],
)
def test_invalid_options_are_refused(name: str, given: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint) as caught:
        prepare(name, given)
    assert caught.value.exit_code == 2
