"""The server's answers to a client, without a connection."""

import json
import random

import pytest

from sentry_camera.conversation import Conversation, Look, Say
from sentry_camera.jpeg import MOST_BYTES
from sentry_camera.observations import Box, Found

FACE = Found("face", Box(0.4, 0.5, 0.2, 0.25), 0.9)
BIGGER = Found("face", Box(0.1, 0.1, 0.3, 0.3), 0.8)
SIZE = (320, 240)


def texts(actions):
    return [json.loads(action.text) for action in actions if isinstance(action, Say)]


def test_a_hello_is_answered():
    conversation = Conversation({"name": "a"})
    for hello in ({}, {"name": "gateway"}, "gateway", None):
        (answer,) = texts(conversation.receive(json.dumps({"hello": hello}), 1))
        assert answer == {"hello": {"name": "a"}}


def test_a_picture_is_answered_with_an_observation_biggest_first():
    conversation = Conversation({})
    assert conversation.receive(b"one", 100.0) == [Look(b"one")]
    (answer,) = texts(conversation.seen([FACE, BIGGER], SIZE, 0.0124))
    assert answer == {
        "t": 0.0,
        "found": [
            {"kind": "face", "box": [0.1, 0.1, 0.3, 0.3], "confidence": 0.8},
            {"kind": "face", "box": [0.4, 0.5, 0.2, 0.25], "confidence": 0.9},
        ],
        "seq": 1,
        "image": [320, 240],
        "ms": 12.4,
        "replaced": 0,
    }
    assert conversation.receive(b"two", 101.5) == [Look(b"two")]
    (answer,) = texts(conversation.seen([], SIZE, 0))
    assert (answer["t"], answer["seq"], answer["found"]) == (1.5, 2, [])


def test_the_newest_picture_replaces_the_one_that_waits():
    conversation = Conversation({})
    assert conversation.receive(b"one", 0) == [Look(b"one")]
    assert conversation.receive(b"two", 1) == []
    assert texts(conversation.receive(b"three", 2)) == [{"seq": 2, "replaced_by": 3}]
    assert texts(conversation.receive(b"four", 3)) == [{"seq": 3, "replaced_by": 4}]
    answer, look = conversation.seen([], SIZE, 0)
    assert look == Look(b"four")
    assert (texts([answer])[0]["seq"], texts([answer])[0]["replaced"]) == (1, 2)
    (last,) = texts(conversation.seen([], SIZE, 0))
    assert (last["seq"], last["t"], last["replaced"]) == (4, 3.0, 2)


def test_a_bad_picture_is_answered_and_the_next_one_is_looked_at():
    conversation = Conversation({})
    conversation.receive(b"one", 0)
    conversation.receive(b"two", 1)
    answer, look = conversation.failed("The picture is damaged.")
    assert texts([answer]) == [{"seq": 1, "error": "The picture is damaged."}]
    assert look == Look(b"two")


@pytest.mark.parametrize(("more", "is_refused"), [(0, False), (1, True)])
def test_a_picture_over_the_limit_is_refused_and_has_a_number(more, is_refused):
    conversation = Conversation({})
    actions = conversation.receive(bytes(MOST_BYTES + more), 0)
    assert (not any(isinstance(action, Look) for action in actions)) is is_refused
    if is_refused:
        reason = "The picture has 1000001 bytes; at most 1000000 are accepted."
        assert texts(actions) == [{"seq": 1, "error": reason}]
        conversation.receive(b"two", 1)
        assert texts(conversation.seen([], SIZE, 0))[0]["seq"] == 2


TEXTS = {
    "empty": "",
    "not JSON": "hello",
    "a list": "[]",
    "no hello": '{"found": []}',
    "deep": "[" * 999,
    "long": '{"hello": "' + "x" * 1000 + '"}',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_another_text_is_answered_with_an_error(text):
    (answer,) = texts(Conversation({}).receive(text, 0))
    assert list(answer) == ["error"] and answer["error"].endswith(".")


@pytest.mark.parametrize("seed", range(20))
def test_every_picture_has_one_answer(seed):
    print("seed", seed)
    generator = random.Random(seed)
    conversation = Conversation({})
    sent, answered, looking, now = 0, [], 0, 0.0
    for _ in range(500):
        now += generator.random()
        kind = generator.randrange(5)
        if kind < 3:
            sent += 1
            actions = conversation.receive(b"x" * generator.choice((1, 50, MOST_BYTES + 1)), now)
        elif kind == 3:
            actions = conversation.receive(generator.choice(list(TEXTS.values())), now)
        elif looking:
            looking -= 1
            is_seen = generator.random() < 0.5
            actions = conversation.seen([], SIZE, 0) if is_seen else conversation.failed("Bad.")
        else:
            continue
        looking += sum(isinstance(action, Look) for action in actions)
        answered += [answer["seq"] for answer in texts(actions) if "seq" in answer]
        assert looking <= 1
    while looking:
        looking -= 1
        actions = conversation.seen([], SIZE, 0)
        looking += sum(isinstance(action, Look) for action in actions)
        answered += [answer["seq"] for answer in texts(actions)]
    assert sorted(answered) == list(range(1, sent + 1))
