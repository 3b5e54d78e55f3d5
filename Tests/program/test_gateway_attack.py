"""Hostile clients and servers against the gateway, `follow`, `aim --to` and `aim --serve`.

Everything runs on loopback, within bounds. `--seed` determines what is sent, and `--batch` repeats
one batch of the attack. `make soak` attacks for ten minutes.
"""
import collections
import contextlib
import math
import random
import select
import time
import typing

import hostile
import pytest
from hostile import MOST
from running import HAS_PROC, Failed, wait_until
from steady import Steady
from subjects import GATEWAYS, Aim, Follow, Gateway, Vision, prepare
from wire import Way, reset

MINUTES = 1

# Resets after each number of frames. The clients do not read, so the gateway notices a reset when
# it writes an answer, in the middle of its work. Each way into each gateway gets the low numbers of
# frames and some high ones; the other numbers are distributed among them.

OFTEN = [0, 1, 2, 3, 8, 64, 230, 600, 1_000, 1_500, 2_000]
WORDS = {"junk": b"zz", "aims": b"X45.", "lost": b"L"}
RECORD = 1_000  # bytes
TCP_WAIT = 0.002  # seconds for the gateway to accept a connection; it sends nothing then
PING_WAIT = 0.8  # seconds; the gateway sends one each half second
PING_COUNTS = [0, 0, 1, 100, 1_500]  # frames that follow it


def enter(way):
    """Connects a client. If the gateway refuses it because there are too many, tries again."""
    def admitted():
        way.subject.check_alive()
        with contextlib.suppress(OSError):
            return way.enter()
    return wait_until("no client was admitted", admitted)


class Scene(typing.NamedTuple):
    """A client that resets its connection after some frames."""
    way: Way
    words: str
    accompanied: bool
    count: int

    def play(self):
        with contextlib.ExitStack() as crowd:
            if self.accompanied:
                crowd.enter_context(enter(self.way))
            connection = crowd.enter_context(enter(self.way))
            if self.way.kind == "TCP":
                time.sleep(TCP_WAIT)
            frames = self.way.pack(WORDS[self.words]) * self.count
            # The gateway handles a TLS record as a whole, so the reset must occur between two.
            size = RECORD if self.way.tls else len(frames) + 1
            with contextlib.suppress(OSError):  # the gateway may close it first
                for start in range(0, len(frames), size):
                    connection.sendall(frames[start:start + size])
            reset(connection)


def scenes(subjects, rng):
    """The scenes of all gateways. Each number of frames occurs at least once."""
    kinds = [(way, words, accompanied) for subject in subjects for way in subject.ways
             for words in WORDS for accompanied in (False, True)]
    found = [Scene(*kind, count) for kind in kinds for count in OFTEN]
    rest = [count for count in range(MOST + 1) if count not in OFTEN]
    rng.shuffle(rest)
    rng.shuffle(kinds)
    return found + [Scene(*kinds[index % len(kinds)], count) for index, count in enumerate(rest)]


def close_on_ping(way):
    """Closes clients with an unread ping, which the kernel turns into a reset."""
    connections = [enter(way) for _ in PING_COUNTS]
    select.select(connections[-1:], [], [], PING_WAIT)
    for connection, count in zip(connections, PING_COUNTS):
        with contextlib.suppress(OSError):
            connection.sendall(way.pack(b"zz") * count)
        connection.close()


@pytest.mark.parametrize("number", range(len(GATEWAYS)), ids=[", ".join(g) for g in GATEWAYS])
def test_a_reset_after_any_number_of_frames_does_not_disturb_the_gateway(
        bench, tmp_path, request, number):
    prepare(tmp_path)
    subjects = [Gateway(bench, tmp_path, *gateway) for gateway in GATEWAYS]
    for subject in subjects:
        # Bare TCP has neither TLS nor tokens, so once is enough.
        if subject.is_tls or subject.ways[0].token:
            subject.ways.pop()
    played = scenes(subjects, random.Random(request.config.option.seed))
    with subjects[number] as subject:
        for scene in played:
            if scene.way.subject is subject:
                try:
                    scene.play()
                    subject.check()
                except (Failed, OSError) as error:
                    raise Failed(f"{scene}: {error}") from error
        close_on_ping(subject.ways[0])
        subject.check()
        subject.begin_end()
        subject.check_end()


# The attack on everything that listens or connects. A controller measures meanwhile how long its
# commands take to reach the board; these times are reported.

DELAY_MAX = 0.05  # seconds until a command reaches the board; longer delays are reported
PARTS = 4  # of a long attack; the use of memory and descriptors is checked after each
LONG = 120  # seconds
OPENING = 0.2  # seconds after its start in which a process opens its files and ports
LATE_SHOWN = 5  # moves
TIMES = 20  # repetitions with --batch, because some failures are races


class Deck:
    """Ways and moves, shuffled. Each occurs once before any occurs again."""

    def __init__(self, name, seed, ways):
        self.name = f"{seed}/{name}"
        self.cards = [(way, move) for way in ways for move in hostile.moves(way.kind)]

    def card(self, number):
        turn, place = divmod(number, len(self.cards))
        cards = self.cards[:]
        random.Random(f"{self.name}/{turn}").shuffle(cards)
        return cards[place]


class Attack:
    """The processes, and the batches of moves against them. Every second batch attacks the gateway
    with the controller."""

    def __init__(self, bench, folder, seed, batch):
        self.seed, self.folder = seed, folder
        # The first one also has a controller, which is watched during the attack.
        self.watched, *others = [Gateway(bench, folder, *gateway) for gateway in GATEWAYS]
        trapped = [Follow(bench, folder, f"{seed}/follow"),
                   Aim(bench, folder, "ws", f"{seed}/aim"),
                   Aim(bench, folder, "tcp", f"{seed}/tcp")]
        others.append(Vision(bench, folder))
        self.decks = [
            Deck("watched", seed, self.watched.ways),
            Deck("others", seed, [way for subject in others for way in subject.ways])]
        self.subjects, self.trapped = [self.watched, *others, *trapped], trapped
        if batch is not None:  # leaves out the processes that the batch does not involve
            for other in trapped:
                other.trap.close()
            self.subjects = [self.decks[batch % 2].card(batch // 2)[0].subject]
            self.trapped = []
        self.steady = None
        self.spans = []  # when and how the watched gateway was attacked
        self.delays = []
        self.batches = 0

    def __enter__(self):
        try:
            for subject in self.subjects:
                subject.__enter__()
            time.sleep(OPENING)
            for subject in self.subjects:
                subject.measure()
                subject.check()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.steady:
            self.steady.kill()
        for subject in self.subjects:
            subject.kill()

    def play(self, numbers):
        """Plays batches, ends the attack, and checks the resources of each process."""
        if self.watched in self.subjects:
            self.steady = Steady(self.folder, self.watched.url)
        for subject in self.trapped:
            subject.trap.is_good = False
        for number in numbers:
            self.batch(number)
        if self.steady:
            steady, self.steady = self.steady, None
            steady.finish()
            self.delays += steady.delays()
        for subject in self.subjects:
            self.judge(subject, subject.calm, "the end of the attack")
        for subject in self.subjects if HAS_PROC else []:
            self.judge(subject, subject.settle, "memory and descriptors")

    def batch(self, number):
        """Makes one move on one way, and checks the processes."""
        self.batches += 1
        way, move = self.decks[number % 2].card(number // 2)
        began = time.monotonic()
        with contextlib.suppress(OSError):
            move(way, random.Random(f"{self.seed}/{number}"))
        subject = way.subject
        subject.last = f"{way.kind}, {move.__name__}"
        what = f"{subject.last} (--seed {self.seed} --batch {number})"
        if subject is self.watched:
            self.spans.append((began, time.monotonic(), subject.last))
            self.judge(subject, self.steady.check, what)
        self.judge(subject, subject.check, what)
        # Earlier moves on the other processes can take effect now, for example after a timeout.
        for other in self.subjects:
            self.judge(other, other.check_alive, other.last)

    @staticmethod
    def judge(subject, check, what):
        try:
            check()
        except (Failed, OSError) as error:
            raise Failed(f"{subject}: {what}: {error}") from error

    def end(self):
        """Sends SIGTERM to all processes while clients of each kind are connected."""
        for subject in self.subjects:
            for way in subject.ways:
                for connect in (way.connect, way.open, way.enter, way.enter):
                    with contextlib.suppress(OSError):
                        way.hold(connect())
        for subject in self.subjects:
            subject.begin_end()
        for subject in self.subjects:
            self.judge(subject, subject.check_end, "SIGTERM")
            subject.calm_ways()

    def report(self, say):
        ways = [way for subject in self.subjects for way in subject.ways]
        entered = sum(way.entered for way in ways)
        outgoing = (f", {subject.trap.connections} by {subject}" for subject in self.trapped)
        say("attack", f"{self.batches} batches, {sum(way.tried for way in ways)} connections to "
            f"servers, of which {entered} became clients" + "".join(outgoing))
        assert entered >= self.batches, "fewer clients were admitted than there were batches"
        attacked, others = [], []
        late = collections.Counter()
        for sent, delay in self.delays:
            moves = [what for begin, end, what in self.spans if begin <= sent <= end]
            (attacked if moves else others).append(delay)
            if delay and delay > DELAY_MAX:
                late.update(moves[:1] or ["attacks on others"])
        report_delays(say, "a controller, while its gateway was attacked", attacked)
        report_delays(say, "a controller, while others were attacked", others)
        if late:
            when = ", ".join(f"{what} ({count})" for what, count in late.most_common(LATE_SHOWN))
            say("late", f"{late.total()} commands took more than {DELAY_MAX * 1_000:.0f} ms, "
                f"during {when}")


def report_delays(say, what, delays):
    arrived = sorted(delay * 1_000 for delay in delays if delay is not None)
    if arrived:
        median, most = (arrived[math.ceil(part * len(arrived)) - 1] for part in (0.5, 0.99))
        say(what, f"{len(delays)} commands, {len(delays) - len(arrived)} replaced by newer ones; "
            f"ms to the board: median {median:.1f}, 99% {most:.1f}, worst {arrived[-1]:.1f}")


def until(deadline, numbers):
    for number in numbers:
        if time.monotonic() > deadline:
            return
        yield number


def test_hostile_clients_and_servers_do_no_harm(bench, tmp_path, request, record_property):
    option = request.config.option
    prepare(tmp_path)
    with Attack(bench, tmp_path, option.seed, option.batch) as attack:
        if option.batch is not None:
            attack.play([option.batch] * TIMES)
        else:
            parts = PARTS if option.seconds >= LONG else 1
            for _ in range(parts):
                begin = attack.batches
                attack.play(until(time.monotonic() + option.seconds / parts,
                                  range(begin, 1_000_000)))
        attack.end()
        attack.report(record_property)
