// @ts-check
// The bench's answers: see DriveSession.state.

/**
 * A servo, the session's own first: its pin, the commanded angle and its pulse in microseconds, the
 * angle of the last pulse, and the shaft's.
 * @typedef {[string, number | null, number | null, number | null, number]} ServoRow
 */

/**
 * An event: its time in microseconds, its kind, and the values of that kind. The pin of a servo other
 * than the session's own is the last.
 * @typedef {[number, string, ...(number | string | null)[]]} Row
 */

/**
 * A byte: its number, its name, its fate, the fate's meaning, when it arrived and was taken, and
 * whether it ended a scan.
 * @typedef {[number, string, string, string, number, number | null, boolean]} ByteRow
 */

/**
 * A byte on the wire: its start, its end, its name and the levels of its ten bits.
 * @typedef {[number, number, string, string]} Frame
 */

/**
 * @typedef {{now: number, rewound: boolean, activity: string | null, scanning: boolean,
 *   servos: ServoRow[], pins: [string, boolean, number][],
 *   inputs: ['set' | 'analog' | 'part', string, number][],
 *   serial: {from: number, entries: import('../common/monitor.js').Entry[]},
 *   unanswered: string | null, baud: number, senderBaud: number, tone: number | null, waiting: number | null, onTheWay: number, fault: string | null,
 *   remarks: string[], showsFates: boolean, events: Row[], bytes: ByteRow[], frames: Frame[]}} State
 */

/**
 * The bench's answer about the rig: see PageRig.state.
 * @typedef {{now: number, view: number, face: number, shaft: number, commanded: number | null,
 *   error: number, onTarget: number | null, rate: number, sweeping: boolean, age: number | null,
 *   box: [number, number, number, number] | null}} RigState
 */

export {};
