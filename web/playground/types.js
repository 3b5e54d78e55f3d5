// @ts-check
// The bench's answers: see DriveSession.state.

/**
 * An event: its time in microseconds, its kind, and the values of that kind.
 * @typedef {[number, string, ...(number | string)[]]} Row
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
 *   commanded: number | null, width: number | null, pulse: number | null, shaft: number,
 *   tone: number | null, waiting: number | null, onTheWay: number, fault: string | null,
 *   remarks: string[], showsFates: boolean, events: Row[], bytes: ByteRow[], frames: Frame[]}} State
 */

/**
 * The bench's answer about the rig: see PageRig.state.
 * @typedef {{now: number, view: number, face: number, shaft: number, commanded: number | null,
 *   error: number, onTarget: number | null, rate: number, sweeping: boolean, age: number | null,
 *   box: [number, number, number, number] | null}} RigState
 */

export {};
