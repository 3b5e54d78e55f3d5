import Foundation
import TestSupport
import Testing

/// A sender that only reads, at the board's speed and at another one, on both of the bench's ports.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what readers do to a pty was measured on Linux"))
struct ReaderSpeedTests {
  private static let warning = "The sender reads at 9600 baud, the board sends at 115200"

  /// Sends an A about every 12 ms at 115 200 baud, and never receives.
  private static let program = ChipProgram.hex([
    0xE100, 0x9300, 0xC4,  // LDI R16, 16; STS UBRR0L
    0xE002, 0x9300, 0xC0,  // LDI R16, U2X0; STS UCSR0A
    0xE008, 0x9300, 0xC1,  // LDI R16, TXEN0; STS UCSR0B
    0xE401, 0x9300, 0xC6,  // LDI R16, 65; STS UDR0
    0xEF2F, 0xE010, 0x951A, 0xF7F1,  // LDI R18, 255; LDI R17, 0; DEC R17; BRNE to DEC
    0x952A, 0xF7D9,  // DEC R18; BRNE to LDI R17
    0xCFF6,  // RJMP to LDI R16, 65
  ])

  /// A is 0 10000010 1, and at 117 647 baud a bit takes 8.5 us. The three samples of a start bit at
  /// 9600, after 46, 59 and 72 us, are low, and the line is high after it: 0xFF.
  @Test(
    .enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"),
    arguments: ["SENTRY_PORT", "SENTRY_RFC2217"], [(115_200, UInt8(0x41)), (9_600, 0xFF)])
  func `A reader receives what its UART samples, and is told of a wrong speed once`(
    _ port: String, _ item: (baud: Int, byte: UInt8)
  ) async throws {
    let bench = try Bench()
    try bench.write(Self.program, "send-only.hex")
    let script = """
      import os, serial, time
      port = serial.serial_for_url(os.environ["\(port)"], \(item.baud))
      time.sleep(0.2)
      port.reset_input_buffer()
      time.sleep(0.4)
      found = port.read(port.in_waiting)
      assert len(found) > 5 and set(found) == {\(item.byte)}, found
      """
    let stage = try Stage(
      options: ["--device", "avr:send-only.hex", "--rfc2217", "0", "--no-reset"],
      command: [Tool.pyserial.path ?? "python3", "-W", "ignore", "-c", script], in: bench)
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains(" at 115200 baud"))
    #expect(
      outcome.errors.components(separatedBy: Self.warning).count - 1
        == (item.baud == 115_200 ? 0 : 1), "\(outcome.errors)")
    #expect(!outcome.errors.contains("writes at"))
    // The trace has what the board sent.
    #expect(stage.recordedLines(with: #""tx", "A"]"#) > 20)
    #expect(stage.recordedLines(with: #""baud""#) == 1)
  }
}
