// @ts-check
// The tables of commands and refusals, and the list of the state.
import { sender } from "./control.js";
import { clock, element, html, text } from "../common/elements.js";

/** @param {Command[]} commands
 * @param {boolean} isKnown whether the device shows what its sketch understands, or a profile
 * describes what was sent */
export function showCommands(commands, isKnown) {
  text("no-commands",
    isKnown ? "None yet." : "This device does not show what its sketch understands.");
  element("no-commands").hidden = commands.length > 0;
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
  element("no-refusals").hidden = refusals.length > 0;
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
    ["Waiting", `${state.waiting} for the line, ${bytes.on_line} bytes on it`
      + (bytes.in_ring === null ? "" : `, ${bytes.in_ring} in the board's buffer`)],
    ["Lost bytes", `${bytes.lost}`, bytes.lost ? "bad" : ""],
    ["Delay", state.delay === null
      ? "no command yet" : `${(state.delay * 1000).toFixed(2)} ms from message to line`],
    ["Commands", `${state.sent} sent, ${state.refused} refused`
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

/** @param {Recording | null} recording */
function recording(recording) {
  if (!recording) return "off";
  if (recording.failure) return recording.failure;
  return `${recording.file}, part ${recording.part}, ${Math.ceil(recording.bytes / 1024)} KB`;
}
