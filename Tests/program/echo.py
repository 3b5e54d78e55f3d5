"""An echo server that uses Python's websockets. Prints its address on standard error."""
import asyncio
import logging
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


async def echo(client):
    try:
        async for message in client:
            await client.send(message)
    except ConnectionClosed:
        pass  # a case can close the connection in any way


async def main():
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    async with serve(echo, "127.0.0.1", 0, max_size=None, compression=None) as server:
        print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}", file=sys.stderr, flush=True)
        await server.wait_closed()


asyncio.run(main())
