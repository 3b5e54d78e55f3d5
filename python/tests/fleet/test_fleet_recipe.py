"""The options of verify, and the names that the program sees."""

import pathlib

import pytest

from sentrybench.fleet import recipe
from sentrybench.fleet.recipe import FILE_MAX, Aliases, OptionFile, Recipe
from sentrybench.fleet.status import FleetError


def files(path: str) -> bytes:
    return path.encode()


def made(**given: str | bool) -> Recipe:
    named = {"--" + name.replace("_", "-"): value for name, value in given.items()}
    return Recipe("1.0", recipe.options(dict(named), files))


def test_options_are_passed_on_with_the_files_in_other_places() -> None:
    how = made(device="avr:a/b.hex", rules="r.yaml", tolerance="5ms", strict=True, scenario="-x")
    assert [file.path for file in how.files] == ["a/b.hex", "r.yaml"]
    assert how.arguments(["0.hex", "1.yaml"]) == [
        *("--device", "avr:0.hex", "--rules", "1.yaml"),
        *("--tolerance=5ms", "--scenario=-x", "--strict"),
    ]


@pytest.mark.parametrize("device", ["serial:/dev/ttyACM0", "rfc2217://host:1", "nonsense"])
def test_a_device_that_only_one_machine_has_is_refused(device: str) -> None:
    with pytest.raises(FleetError, match="several machines") as error:
        made(device=device)
    assert error.value.status == 64


def test_the_identity_changes_with_all_that_can_change_a_result() -> None:
    recipes = [
        Recipe("1.0"),
        Recipe("1.1"),
        Recipe("1.0", build="x"),
        made(firmware="classic"),
        made(firmware="guarded"),
        made(rules="a"),
        made(rules="b"),
        made(timing="a"),
    ]
    assert len({how.identity for how in recipes}) == len(recipes)
    moved = Recipe("1.0", ("--rules", ("", OptionFile("elsewhere", b"a"))))
    assert moved.identity == made(rules="a").identity


@pytest.mark.parametrize(
    ("name", "status"), [("none", 66), ("folder", 74), ("large", 65), ("a\0b", 74)]
)
def test_a_file_that_cannot_be_used_is_reported(
    tmp_path: pathlib.Path, name: str, status: int
) -> None:
    (tmp_path / "folder").mkdir()
    with open(tmp_path / "large", "wb") as file:
        file.truncate(FILE_MAX + 1)
    with pytest.raises(FleetError, match=f"{name}: error: ") as error:
        recipe.read_file(str(tmp_path / name))
    assert error.value.status == status


def test_texts_of_the_program_name_the_traces_as_users_do() -> None:
    aliases = Aliases(["/ü/a.jsonl", "s3://b/-"], ["rules.yaml"], tag="00ff")
    text = f"{aliases.trace(1)}:3: error, {aliases.trace(0)}, {aliases.option(0, '.yaml')}:2"
    assert aliases.restore(text) == "s3://b/-:3: error, /ü/a.jsonl, rules.yaml:2"
    others = "traces-00fe/000000.jsonl traces-00ff/000009.jsonl traces-00ff"
    assert aliases.restore(others) == others


@pytest.mark.parametrize(
    ("path", "ending"), [("a.hex", ".hex"), ("a", ""), ("a.b/c", ""), ("a.ü", "")]
)
def test_a_file_of_an_option_keeps_its_ending(path: str, ending: str) -> None:
    assert OptionFile(path, b"").ending == ending
