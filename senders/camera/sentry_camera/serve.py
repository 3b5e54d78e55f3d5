"""Runs the server: pictures arrive over WebSocket connections, observations are the answers."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from . import __version__, detectors
from .arguments import parse_serve
from .conversation import Action, Conversation, Look, Say
from .errors import TERMINATED, UNAVAILABLE, ExitError
from .jpeg import MOST_BYTES, MOST_SIDE, PictureError, decoded
from .pipeline import Detector

PROTOCOL = 1
MOST_CLIENTS = 8
# A longer message ends the connection with code 1009. A picture between MOST_BYTES and this size
# is answered with an error, and the connection stays open.
LONGEST_MESSAGE = 8 * MOST_BYTES
TRY_AGAIN_LATER = 1013


class Service:
    """Answers clients. All pictures are processed by one thread, because detectors have state."""

    def __init__(
        self, detect: Detector, what: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._detect = detect
        self._clock = clock
        self._clients = 0
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="detector")
        self.about = {
            "name": "sentry-camera",
            "version": __version__,
            "protocol": PROTOCOL,
            "detects": what,
            "most_bytes": MOST_BYTES,
            "most_side": MOST_SIDE,
        }

    async def open(self, host: str, port: int) -> Server:
        # Only clients that are not web pages: a browser always sends an Origin.
        return await serve(
            self._attend,
            host,
            port,
            origins=[None],
            compression=None,
            max_size=LONGEST_MESSAGE,
            max_queue=2,
            logger=_silent(),
        )

    def close(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    async def _attend(self, client: ServerConnection) -> None:
        if self._clients >= MOST_CLIENTS:
            await client.close(TRY_AGAIN_LATER, f"At most {MOST_CLIENTS} clients can connect.")
            return
        self._clients += 1
        looking: asyncio.Task[None] | None = None
        conversation = Conversation(self.about)
        try:
            async for message in client:
                for action in conversation.receive(message, self._clock()):
                    if isinstance(action, Say):
                        await client.send(action.text)
                        continue
                    if looking is not None:
                        # It has been processed, but a client that reads slowly has not taken the
                        # answer. Nothing more is read from that client until it has.
                        await looking
                    looking = asyncio.create_task(self._look(client, conversation, action))
        except ConnectionClosed:
            pass
        finally:
            self._clients -= 1
            if looking is not None:
                looking.cancel()

    async def _look(
        self, client: ServerConnection, conversation: Conversation, first: Look
    ) -> None:
        """Processes a picture, and those that arrive meanwhile."""
        loop = asyncio.get_running_loop()
        next_one: Look | None = first
        try:
            while next_one is not None:
                look = await loop.run_in_executor(self._thread, self._looked_at, next_one.jpeg)
                next_one = None
                for action in look(conversation):
                    if isinstance(action, Say):
                        await client.send(action.text)
                    else:
                        next_one = action
        except ConnectionClosed:
            pass

    def _looked_at(self, jpeg: bytes) -> Callable[[Conversation], list[Action]]:
        """Runs on the detector's thread. Returns a function that passes on the result."""
        start = self._clock()
        try:
            picture = decoded(jpeg)
            found = self._detect(picture)
        except (PictureError, ExitError) as error:
            reason = str(error)
            return lambda conversation: conversation.failed(reason)
        except Exception as error:
            reason = f"The detector failed: {type(error).__name__}."
            return lambda conversation: conversation.failed(reason)
        image = (picture.shape[1], picture.shape[0])
        seconds = self._clock() - start
        return lambda conversation: conversation.seen(found, image, seconds)


def run_server(arguments: list[str]) -> None:
    options = parse_serve(arguments)
    service = Service(detectors.detector(options), options.detect)
    try:
        asyncio.run(_run(service, options.host, options.port))
    finally:
        service.close()


async def _run(service: Service, host: str, port: int) -> None:
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[BaseException] = loop.create_future()

    def stop(reason: BaseException) -> None:
        if not stopped.done():
            stopped.set_result(reason)

    loop.add_signal_handler(signal.SIGINT, stop, KeyboardInterrupt())
    loop.add_signal_handler(signal.SIGTERM, stop, SystemExit(TERMINATED))
    try:
        server = await service.open(host, port)
    except OSError as error:
        is_used = error.errno == errno.EADDRINUSE
        why = "the address is in use" if is_used else error.strerror
        raise ExitError(f"{host}:{port} cannot be opened: {why}.", UNAVAILABLE) from None
    async with server:
        # With port 0, the system chooses one.
        port = server.sockets[0].getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        print(f"sentry-camera: listening on ws://{name}:{port}", file=sys.stderr, flush=True)
        reason = await stopped
    raise reason


def _silent() -> logging.Logger:
    """A log that discards everything: an invalid handshake is answered, and need not be logged."""
    logger = logging.getLogger("sentry_camera.serve")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger
