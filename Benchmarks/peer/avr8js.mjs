// avr8js.mjs MODULE HEX SECONDS BYTES  runs the program on avr8js for that many virtual seconds,
// sends it the bytes at 1.5 s, and prints JSON: the wall time of the run in seconds, and OCR1A at its
// end. MODULE is avr8js as a CommonJS module, for example node_modules/avr8js.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const CLOCK = 16e6;
const OCR1AL = 0x88;

const [module, hex, seconds, text] = process.argv.slice(2);
const {
  AVRIOPort, AVRTimer, AVRUSART, CPU, avrInstruction, portBConfig, timer0Config, timer1Config,
  timer2Config, usart0Config,
} = createRequire(import.meta.url)(resolve(module));

/** @param {string} path */
function flash(path) {
  const bytes = new Uint8Array(0x8000).fill(0xff);
  for (const line of readFileSync(path, "latin1").split("\n")) {
    const record = Buffer.from(line.trim().slice(1), "hex");
    // The data of a record of type 0: its address comes before, its checksum after.
    if (record.length > 4 && record[3] === 0) {
      bytes.set(record.subarray(4, 4 + record[0]), record.readUInt16BE(1));
    }
  }
  return new Uint16Array(bytes.buffer);
}

const cpu = new CPU(flash(hex));
for (const config of [timer0Config, timer1Config, timer2Config]) new AVRTimer(cpu, config);
new AVRIOPort(cpu, portBConfig);
const usart = new AVRUSART(cpu, usart0Config, CLOCK);

/** @param {number} end in cycles */
function runUntil(end) {
  while (cpu.cycles < end) {
    avrInstruction(cpu);
    cpu.tick();
  }
}

const begun = performance.now();
runUntil(1.5 * CLOCK);
for (const byte of Buffer.from(text)) {
  while (!usart.writeByte(byte)) runUntil(cpu.cycles + 1);
}
runUntil(Number(seconds) * CLOCK);
const elapsed = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ seconds: elapsed, ocr1a: cpu.data[OCR1AL] | cpu.data[OCR1AL + 1] << 8 }));
