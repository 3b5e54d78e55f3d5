// A client that uses the WebSocket of node or of a browser. In node: `client.mjs URL` or
// `client.mjs URL COMMAND...`; prints an error, or nothing. A page imports `run`.

const patience = 20_000;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function expect(what, found, wanted) {
  const short = (value) => String(value).slice(0, 80);
  if (found !== wanted) {
    throw new Error(`${what}: expected ${short(wanted)}, found ${short(found)}`);
  }
}

// Waits for the next event of a kind. Fails on another event, and if none arrives.
function next(socket, kind) {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error(`no ${kind}`)), patience);
    for (const name of ["open", "message", "error", "close"]) {
      socket[`on${name}`] = (event) => {
        clearTimeout(timer);
        if (name === kind) done(event);
        else {
          const detail = `${event.message ?? event.code ?? ""} ${event.reason ?? ""}`;
          failed(new Error(`expected ${kind}, found ${name}: ${detail}`));
        }
      };
    }
  });
}

async function connected(url) {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  await next(socket, "open");
  return socket;
}

async function closed(socket) {
  const end = next(socket, "close");
  socket.close(4000, "that is all");
  const event = await end;
  expect("a clean close", event.wasClean, true);
  expect("the code of the close", event.code, 4000);
}

const text = (bytes) => Array.from(bytes).join(" ");

async function echo(url) {
  const socket = await connected(url);
  for (const message of ["X45.", "", "Grüße, ☃ und 𝄞", "x".repeat(60_000)]) {
    const answer = next(socket, "message");
    socket.send(message);
    expect("text", (await answer).data, message);
  }
  for (const length of [0, 256, 60_000]) {
    const message = Uint8Array.from({ length }, (_, index) => index & 255);
    const answer = next(socket, "message");
    socket.send(message);
    expect("binary", text(new Uint8Array((await answer).data)), text(message));
  }
  await closed(socket);
}

async function command(url, commands) {
  const socket = await connected(url);
  socket.onmessage = (event) => { throw new Error(`an unexpected message: ${event.data}`); };
  for (const message of commands) {
    socket.send(message);
    await pause(300);
  }
  await closed(socket);
}

export async function run([url, ...commands]) {
  await (commands.length > 0 ? command(url, commands) : echo(url));
}

if (globalThis.process) await run(process.argv.slice(2));
