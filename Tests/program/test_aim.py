"""The whole chain: picture, detection, angle, gateway, emulated chip, servo.

The pictures are of a real face and of drawn strips, with the camera held in each way, and mirrored
or not. The servo must point at the target. The angles are computed here, from the true positions:
in real time the last one, in virtual time one for each picture. `make camera-setup` must have set
up the camera program.
"""
import json
import math
import pathlib

import pytest
from running import CHIP, ROOT, events, gateway, received, run, session_of, values, wait_until

MINUTES = 0.5
CAMERA = ROOT / ".build/camera/bin"
MOST = 2.0  # degrees
# Pictures per second in the video, and the longest time that a command takes, in seconds: five
# bytes, and the bytes that wait before them.
RATE = 25
CABLE = 0.015
FOV = 60  # degrees
STRIPS = ["--strips", "--mapping", "fov"]


def true_angle(place, what):
    if what == "faces":
        # 40 degrees at the left edge, 140 at the right edge.
        return 40 + 100 * place
    # In a pinhole camera, half the picture is as wide as the tangent of half the field of view.
    return 90 + math.degrees(math.atan((2 * place - 1) * math.tan(math.radians(FOV / 2))))


@pytest.mark.parametrize("what, held", [
    ("faces", []), ("faces", ["--orientation", "right"]), ("faces", ["--orientation", "down"]),
    ("faces", ["--orientation", "left"]), ("faces", ["--mirrored"]), ("strips", []),
    ("strips", ["--orientation", "left", "--mirrored"])], ids=lambda value: " ".join(value)
    if isinstance(value, list) else value)
def test_the_servo_points_at_the_target(bench, tmp_path, record_property, what, held):
    video, seen = tmp_path / "video.mp4", tmp_path / "seen.jsonl"
    recorded, replayed = tmp_path / "session.jsonl", tmp_path / "replayed.jsonl"
    places = run(CAMERA / "python", "senders/camera/tests/make_video.py", what, video,
                 "--frames", 30, *held).stdout
    truth = [true_angle(float(line.split()[0]), what) for line in places.splitlines()]
    assert truth, "the video has no pictures"
    detect = ["--detect", "strips", "--fov", FOV] if what == "strips" else []
    run(CAMERA / "sentry-camera", video, *detect, "-o", seen, *held)

    options = STRIPS if what == "strips" else []
    commands = run(bench, "aim", seen, "--to", "-", *options).stdout
    with gateway(bench, tmp_path, "gateway", "--device", CHIP, "--record", recorded) as server:
        run(bench, "aim", seen, "--to", server.url, *options)
        # Everything has been received. Wait for the commands that are still on the cable.
        server.wait_for("gone client=1")
        last = json.loads(commands.splitlines()[-1])[2]
        wait_until(last, lambda: received(events(recorded)).endswith(last))
        assert server.end() == 143
    run(bench, "replay", "-", "--until", "2s", "-o", replayed, input=commands)
    run(bench, "verify", "-q", recorded, replayed)
    run(bench, "verify", "-q", recorded, "--device", CHIP)

    ended = values("servo", session_of(recorded))[-1]
    assert abs(ended - truth[-1]) <= MOST, "at the end of the session"
    servo = [(event[0], event[2]) for event in session_of(replayed) if event[1] == "servo"]
    worst = 0
    for number, true in enumerate(truth):
        degrees = [angle for at, angle in servo if at <= number / RATE + CABLE][-1]
        worst = max(worst, abs(degrees - true))
        assert worst <= MOST, f"picture {number + 1}: {degrees}, and the target is at {true:.1f}"
    record_property(" ".join([what, *held]), f"{len(truth)} pictures from {truth[0]:.1f} to "
                    f"{truth[-1]:.1f} degrees, at most {worst:.1f} degrees off")


def test_the_pictures_of_the_documentation_can_be_made_again_and_are_small(bench, tmp_path):
    """Only their names are compared, because pixels depend on the versions of OpenCV and Pillow."""
    run(CAMERA / "python", "senders/camera/tests/make_pictures.py", bench, tmp_path / "pictures")
    pictures = list(pathlib.Path("docs/camera").glob("*.png"))
    assert ({path.name for path in pictures}
            == {path.name for path in (tmp_path / "pictures").glob("*.png")})
    assert all(path.stat().st_size <= 100 * 1024 for path in pictures)
