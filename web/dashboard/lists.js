// @ts-check
// The tables of commands and refusals, and the list of the state.
import { sender } from "./control.js";
import { clock, element, html, text } from "../common/elements.js";

/** @param {Command[]} commands
 * @param {State["device"]} device
 * @param {boolean} isUnderstood whether the device shows what its sketch understands */
export function showCommands(commands, device, isUnderstood) {
  // A profile describes only what was sent.
  const isKnown = isUnderstood || device.profile !== null;
  text("what", device.profile === null ? "What the sketch did" : "By the profile");
  element("no-commands").hidden = commands.length > 0;
  // The serial monitor shows the bytes.
  element("listed").hidden = !isKnown;
  const lost = commands.filter((command) => command.standing === "lost").length;
  const mistaken = commands.filter((command) => command.standing === "misunderstood").length;
  const parts = [];
  if (lost) parts.push(`${lost} lost or discarded, at least in part`);
  if (mistaken) parts.push(`${mistaken} not taken as meant`);
  text("not-obeyed", `Of the last ${counted(commands.length, "command")}: ${parts.join("; ")}.`);
  element("not-obeyed").hidden = parts.length === 0;
  element("commands").replaceChildren(
    ...[...commands].reverse().map((command) =>
      html("tr", [
        html("td", [clock(command.time)]),
        html("td", [html("code", [command.text])]),
        html("td", [command.outcome], command.standing),
      ])));
}

/** @param {Refusal[]} refusals */
export function showRefusals(refusals) {
  // Without any, the number in the state says so.
  element("refused").hidden = refusals.length === 0;
  element("refusals").replaceChildren(
    ...[...refusals].reverse().map((refusal) =>
      html("tr", [
        html("td", [clock(refusal.time)]),
        html("td", [html("code", [refusal.bytes])]),
        html("td", [refusal.text], "bad"),
        html("td", [sender(refusal.from)]),
      ])));
}

let shown = "";

/** @param {State} state */
export function showState(state) {
  const { bytes, device } = state;
  /** @type {[string, string, string?][]} */
  const rows = [
    ["Board", state.board.there ? "connected" : state.board.problem ?? "disconnected",
      state.board.there ? "good" : "bad"],
    ["Sketch", state.sketch ?? "unknown"],
    ["Speed", device.baud === device.sender_baud
      ? `${device.baud} baud`
      : `${device.baud} baud, and the sender writes at ${device.sender_baud}`,
      device.baud === device.sender_baud ? "" : "bad"],
    ["Waiting", `${counted(state.waiting, "command")} to send, `
      + `${counted(bytes.on_line, "byte")} on the line`
      + (bytes.in_ring === null ? "" : `, ${bytes.in_ring} in the board's buffer`)],
    ["Bytes lost", bytes.lost
      ? `${bytes.lost} of ${bytes.received} never reached the sketch`
      : "none on the way to the sketch",
      bytes.lost ? "bad" : ""],
    ["Delay", state.delay === null
      ? "no message from a client yet"
      : `${(state.delay * 1000).toFixed(2)} ms from message to line`],
    // A sender on the port is no client, so its commands are only among those that were taken.
    ["Commands", `${state.sent} from clients, ${state.refused} refused`
      + (state.commands_taken === null ? "" : `, ${state.commands_taken} taken by the sketch`)],
    ["Clients", `${state.clients.senders} that can send, ${state.clients.watchers} that watch`],
    ["Recording", recording(state.recording), state.recording?.failure ? "bad" : ""],
  ];
  if (state.tone !== null) rows.push(["Buzzer", `${state.tone} Hz`]);
  const key = JSON.stringify(rows);
  if (key === shown) return;
  shown = key;
  element("state").replaceChildren(
    ...rows.flatMap(([name, words, look]) => [html("dt", [name]), html("dd", [words], look)]));
}

/** @param {number} count
 * @param {string} noun */
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {Recording | null} recording */
function recording(recording) {
  if (!recording) return "off";
  if (recording.failure) return recording.failure;
  return `${recording.file}, part ${recording.part}, ${Math.ceil(recording.bytes / 1024)} KB`;
}
