"""face_video.py FILE: a video of a face that moves, as Chromium's fake camera plays it (MJPEG)

The face stays at each of PLACES for a while, moves on to the next, and is absent for a while before
the first. Runs with the Python of `make camera-test`, which has OpenCV and the picture.
"""
import pathlib
import sys

# Positions of the face's middle, as shares of the picture's width; each has its own angle.
PLACES = (0.3, 0.7, 0.45)
WIDTH, HEIGHT = 640, 480
RATE = 30
STAYS, MOVES, AWAY = 2.0, 0.6, 1.5  # seconds


def places():
    """The face's place in each picture; None if it is away."""
    yield from [None] * round(AWAY * RATE)
    for place, following in zip(PLACES, PLACES[1:] + (None,)):
        yield from [place] * round(STAYS * RATE)
        if following is not None:
            steps = round(MOVES * RATE)
            for step in range(1, steps):
                yield place + (following - place) * step / steps


def main():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    sys.path[:0] = [str(root / "senders/camera"), str(root / "senders/camera/tests")]
    import cv2
    from pictures import blank, with_face

    encoded = {}
    with open(sys.argv[1], "wb") as file:
        for place in places():
            if place not in encoded:
                picture = (blank(WIDTH, HEIGHT) if place is None
                           else with_face(WIDTH, HEIGHT, WIDTH * place, HEIGHT * 0.5))
                encoded[place] = cv2.imencode(".jpg", picture)[1].tobytes()
            file.write(encoded[place])


if __name__ == "__main__":
    main()
