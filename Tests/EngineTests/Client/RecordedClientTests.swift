import AVR
import ChipDevice
import Devices
import TestSupport
import Testing
import Traces

@testable import Engine

/// Rules of a client about how the program on the chip runs.
@Suite struct RecordedClientTests {
  private static let rule = #"{"id": 1, "do": "expect", "rule": {"interrupts off": "below 40us"}}"#

  /// A program that once switches interrupts off for 48 us: 256 rounds of 3 cycles.
  private static func session(isVirtual: Bool = true) throws -> Session<AVRDevice> {
    let words: [UInt16] = [0x9478, 0x94F8, 0xE010, 0x951A, 0xF7F1, 0x9478, 0xCFFF]
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let hex = Array(HexBuilder.file([(address: 0, bytes: bytes)]).utf8)
    let source = AVRSource(
      AVRProgram(try ProgramImage(contents: hex, name: "off.hex"), name: "off.hex"))
    let start = try SessionPlan(StatedSession(), on: source).begin(on: source)
    var session: Session<AVRDevice>
    if isVirtual {
      session = Session(inVirtualTime: start, on: "avr")
    } else {
      var setting = APISetting(header: start.header, setup: start.setup, device: "avr")
      setting.capabilities = start.device.capabilities
      session = Session(start)
      session.serve(APISession(setting))
    }
    session.begin([]) { _ in }
    return session
  }

  private static func ask(_ line: String, _ session: inout Session<AVRDevice>) -> String {
    session.take(.line(.text(Array(line.utf8))), at: session.now) { _ in }
    return session.takeEffects().map { effect in
      guard case .answer(let message) = effect else { return "" }
      return String(decoding: message.line, as: UTF8.self)
    }.joined()
  }

  @Test func `A rule that is stated before time passes is judged from the start`() throws {
    var session = try Self.session()
    #expect(Self.ask(Self.rule, &session).contains(#""verdict": "open""#))
    let run = Self.ask(#"{"id": 2, "do": "run", "until": 0.1}"#, &session)
    #expect(run.contains(#""time": 0.100000"#), "\(run)")
    session.finish(at: session.now) { _ in }
    let hasFailed = session.judgeClientRules()
    #expect(hasFailed)
    let last = try #require(session.lastMessage(.disagree))
    let text = String(decoding: last.line, as: UTF8.self)
    #expect(text.contains("the code at 0x0002 kept interrupts off for 48 us"), "\(text)")
  }

  @Test func `A later rule, and one in real time, is refused with what to do`() throws {
    var late = try Self.session()
    _ = Self.ask(#"{"id": 1, "do": "run", "until": 0.1}"#, &late)
    let refusal = Self.ask(Self.rule, &late)
    #expect(refusal.contains("state the rule before time passes"), "\(refusal)")
    var live = try Self.session(isVirtual: false)
    let other = Self.ask(Self.rule, &live)
    #expect(other.contains(#"only if the file of \"run --rules FILE\" has"#), "\(other)")
  }

  @Test func `A program that does not show its loop is refused its rule`() throws {
    var session = try Self.session()
    let rule = #"{"id": 1, "do": "expect", "rule": {"loop": "at most 20ms"}}"#
    let refusal = Self.ask(rule, &session)
    #expect(refusal.contains("does not show where loop is"), "\(refusal)")
  }
}
