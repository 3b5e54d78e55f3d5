import Foundation
import TestSupport
import Testing

@testable import sentrybench

@Suite("debug", .ownThread)
struct DebugCommandTests {
  @Test(arguments: [
    ("", "debug requires --at, a moment, or --gdb, a port."),
    ("a.jsonl", "debug requires --at, a moment, or --gdb, a port."),
    ("a.jsonl --at 1s --gdb 1", "--at cannot be combined with --gdb."),
    ("--at 1s", "--at requires a trace."),
    ("--send X --at 1s", "--at requires a trace."),
    ("--send X", "debug requires --at, a moment, or --gdb, a port."),
    ("a.jsonl --send X --gdb 1", "Give a trace or --send, not both."),
    ("a.jsonl --gdb 1 --json", "--json requires --at."),
    ("a.jsonl --gdb 1 --for 1s", "--for requires --send, or a live session with --gdb."),
    ("--gdb 1 --rx-channel D0", "Without a recording, only --baud and --sender-baud of its"),
    ("--gdb 1 --sender-baud 300", "--sender-baud requires a trace or --send."),
    ("a.jsonl --gdb 1 --rfc2217 1", "--rfc2217 requires --gdb without a trace or --send."),
    ("a.jsonl --at 1s --pty p", "--pty requires --gdb without a trace or --send."),
    ("--send X --gdb 1 --record r", "--record requires --gdb without a trace or --send."),
    ("--send X --gdb 1 -- sh", "A command after -- requires --gdb without a trace or --send."),
  ])
  func `What does not go together is refused`(line: String, sentence: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let refusal = try #require(Refusal(of: ["debug", "--device", "avr:a.elf"] + words))
    #expect(refusal.message.contains(sentence), "\(refusal.message)")
    #expect(refusal.status == 64)
  }

  @Test(arguments: [
    "a.jsonl --at 1s --json", "a.jsonl --gdb 1234", "a.sr --gdb [::1]:0 --rx-channel D0",
    "--send X45. --gdb 1234 --for 3s --baud 19200", "--gdb 0 --rfc2217 0 --boot-time 1s",
    "--gdb 0 --websocket 127.0.0.1:0 --profile none --fault drop:1% --for 9s -- python3 a.py",
  ])
  func `What goes together is taken`(line: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(Refusal(of: ["debug", "--device", "avr:a.elf"] + words) == nil)
  }

  // Each ends before anything connects.
  @Test(arguments: [
    ("--gdb 1234x --send X", 64, "is not an address to listen on"),
    ("--gdb 1 --send X --device model", 64, "requires the sketch's program on the emulated chip"),
    ("--gdb 1 --device model", 64, "requires the sketch's program on the emulated chip"),
    ("--gdb 0 --send X --device avr:plain.hex", 65, "plain.hex: error: has no symbols"),
    ("--gdb 0 --device avr:plain.hex --for 1s", 65, "plain.hex: error: has no symbols"),
    ("none.jsonl --gdb 0 --device avr:plain.hex", 65, "plain.hex: error: has no symbols"),
  ])
  func `A mistake ends it with one sentence and a status`(
    line: String, status: Int32, sentence: String
  ) throws {
    let bench = try Bench()
    try bench.write(HexBuilder.pulser, "plain.hex")
    let device = line.contains("--device") ? "" : "--device avr:plain.hex"
    let outcome = try bench.script("\"$BENCH\" debug \(line) \(device)")
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.errors.contains(sentence), "\(outcome)")
    #expect(outcome.output.isEmpty)
  }
}
