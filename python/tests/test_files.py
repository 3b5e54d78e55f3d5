"""Files that the package writes, and those of others."""

from __future__ import annotations

import os
import pathlib
import stat

import pytest

from sentrybench import TurretError, VirtualTurret, files
from sentrybench.artifacts import Artifacts

TRACE = '{"format": "sentry-trace", "version": 1, "firmware": "guarded"}\n'
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" '
    'role="img" aria-labelledby="title desc">\n<title id="title">x</title>'
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (TRACE, "trace"),
        ("\n" + TRACE, "trace"),
        (PICTURE, "picture"),
        ("notes\n", None),
        ("{}\n" + TRACE, None),
        ("<svg></svg>", None),
        ('["sentry-trace"]', None),
    ],
)
def test_what_a_file_contains(tmp_path: pathlib.Path, text: str, expected: str | None) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert files.content(str(path)) == expected


def test_a_picture_and_a_trace_replace_only_what_they_may(tmp_path: pathlib.Path) -> None:
    mine, trace, picture = tmp_path / "mine", tmp_path / "a.jsonl", tmp_path / "a.svg"
    mine.write_text("notes\n")
    with VirtualTurret() as turret:
        turret.record(trace)
        for _ in range(2):
            turret.plot(picture)
        turret.record(picture)
        turret.record(trace)
        for path in (mine, trace):
            before = path.read_text()
            with pytest.raises(TurretError, match=f"^{path} "):
                turret.plot(path)
            assert path.read_text() == before
        with pytest.raises(TurretError, match="sentrybench did not write it"):
            turret.record(mine)
    assert mine.read_text() == "notes\n"
    assert sorted(os.listdir(tmp_path)) == ["a.jsonl", "a.svg", "mine"]


def test_a_link_stays_a_link_and_the_mode_is_kept(tmp_path: pathlib.Path) -> None:
    (tmp_path / "real").write_text(TRACE)
    (tmp_path / "real").chmod(0o604)
    (tmp_path / "link").symlink_to("real")
    files.write(str(tmp_path / "link"), b"new")
    assert (tmp_path / "real").read_text() == "new"
    assert os.readlink(tmp_path / "link") == "real"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o604
    files.write("/dev/null", b"new")


def test_artifacts_replace_no_golden_trace_and_no_file_of_others(tmp_path: pathlib.Path) -> None:
    recording, folder = tmp_path / "r.jsonl", tmp_path / "kept"
    recording.write_text(TRACE)
    artifacts = Artifacts(str(folder))
    artifacts.write("/bin/false", str(recording), "said", "a test")
    artifacts.write("/bin/false", str(recording), "said again", "a test")
    kept = folder / "trace.jsonl"
    (tmp_path / "golden").symlink_to(kept)
    with pytest.raises(TurretError, match="compared with"):
        artifacts.write("/bin/false", str(recording), "", "a test", [str(tmp_path / "golden")])
    assert kept.read_text().splitlines()[1:] == TRACE.splitlines()[1:]
    assert (folder / "bench.txt").read_text() == "said again\n"
    kept.write_text("notes\n")
    with pytest.raises(TurretError, match="did not write it"):
        artifacts.write("/bin/false", str(recording), "", "a test")
    assert kept.read_text() == "notes\n"


def test_artifacts_follow_no_link(tmp_path: pathlib.Path) -> None:
    recording, folder = tmp_path / "r.jsonl", tmp_path / "kept"
    recording.write_text(TRACE)
    folder.mkdir()
    for name in ("bench.txt", "explanation.txt", "picture.svg"):
        (folder / name).symlink_to(tmp_path / "elsewhere")
    Artifacts(str(folder)).write("/bin/false", str(recording), "said", "a test")
    assert not (tmp_path / "elsewhere").exists()
    assert (folder / "bench.txt").read_text() == "said\n"
