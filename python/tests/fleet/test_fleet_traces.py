"""Where traces are found."""

import pathlib
import zipfile

import fsspec
import pytest
from fleets import write_trace

from sentrybench.fleet import traces


@pytest.fixture
def corpus(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "b[1].jsonl", "below/a.jsonl", "below/ü ñ\n.jsonl"):
        write_trace(tmp_path / name)
    (tmp_path / "below" / "notes.txt").write_text("not a trace")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile("z.zip", "w") as archive:
        archive.write("a.jsonl", "in/a.jsonl")
        archive.write("a.jsonl", "b.jsonl")
    return tmp_path


ALL = ["a.jsonl", "b[1].jsonl", "below/a.jsonl", "below/ü ñ\n.jsonl"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("a.jsonl", ["a.jsonl"]),
        (".", ALL),
        ("below", ALL[2:]),
        ("file://FOLDER/below/", ALL[2:]),
        ("*.jsonl", ALL[:2]),
        ("b[1].jsonl", ["b[1].jsonl"]),
        ("bel*", ALL[2:]),
        ("below/notes.txt", ["below/notes.txt"]),
    ],
)
def test_a_path_is_a_file_a_folder_or_a_glob(
    corpus: pathlib.Path, url: str, expected: list[str]
) -> None:
    found, missing, _ = traces.find([url.replace("FOLDER", str(corpus))])
    assert not missing
    assert [trace.name for trace in found] == [f"{corpus}/{name}" for name in expected]
    assert all(trace.size > 0 and trace.version for trace in found)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("zip://*.jsonl::z.zip", ["zip://b.jsonl::FOLDER/z.zip"]),
        ("zip://::z.zip", ["zip://b.jsonl::FOLDER/z.zip", "zip://in/a.jsonl::FOLDER/z.zip"]),
        ("simplecache::zip://in/*::z.zip", ["simplecache::zip://in/a.jsonl::FOLDER/z.zip"]),
        ("memory://m", ["memory:///m/ü.jsonl"]),
        ("memory://m/*.jsonl", ["memory:///m/ü.jsonl"]),
    ],
)
def test_a_url_opens_again_under_the_name_of_the_trace(
    corpus: pathlib.Path, url: str, expected: list[str]
) -> None:
    fsspec.filesystem("memory").pipe("/m/ü.jsonl", (corpus / "a.jsonl").read_bytes())
    found, missing, _ = traces.find([url])
    assert not missing
    assert [trace.name for trace in found] == [
        name.replace("FOLDER", str(corpus)) for name in expected
    ]
    for trace in found:
        with fsspec.open(trace.name) as file:
            assert file.read() == (corpus / "a.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("url", "status", "text"),
    [
        ("none.jsonl", 66, "none.jsonl: error: cannot be opened: no such file or folder"),
        ("empty", 66, "empty: error: there is no *.jsonl in this folder"),
        ("none*", 66, "none*: error: this pattern matches no file"),
        ("zip://*::none.zip", 66, "zip://*::none.zip: error: No such file or directory"),
        ("zip://*::a.jsonl", 74, "cannot be read: File is not a zip file"),
        ("nonsense://a", 74, "cannot be read: Protocol not known: nonsense"),
        ("a\0b", 74, "cannot be read: embedded null byte"),
        ("\udcff.jsonl", 66, "\\udcff.jsonl: error: cannot be opened"),
    ],
)
def test_what_is_not_there_is_reported(
    corpus: pathlib.Path, url: str, status: int, text: str
) -> None:
    found, [missing], _ = traces.find([url])
    assert not found
    assert missing.status == status
    assert text in missing.message


def test_a_trace_that_is_named_twice_is_found_once(corpus: pathlib.Path) -> None:
    found, _, repeated = traces.find(["a.jsonl", "a.jsonl", "*.jsonl", "."])
    assert [trace.name for trace in found] == [f"{corpus}/{name}" for name in ALL]
    assert repeated == 3


def test_the_version_changes_with_the_trace(corpus: pathlib.Path) -> None:
    [before], _, _ = traces.find(["a.jsonl"])
    [again], _, _ = traces.find(["*a.jsonl"])
    assert before == again
    (corpus / "a.jsonl").write_text("other")
    [after], _, _ = traces.find(["a.jsonl"])
    assert after.name == before.name
    assert after.version != before.version
