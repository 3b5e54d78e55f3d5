import Foundation
import Platform
import TestSupport
import Testing

/// The other end of a serial port that comes and goes: a link in the bench's folder to a pty. It
/// only listens, so the firmware has to be one that says nothing.
final class PluggedBoard {
  private let terminal: TestTerminal
  private let link: String
  private var isPlugged = true
  private var bytes: [UInt8] = []

  init(_ name: String = "board", in bench: Bench) throws {
    terminal = try TestTerminal(columns: 80, rows: 24)
    link = bench.path(name)
    try #require(symlink(terminal.name, link) == 0)
  }

  deinit { unplug() }

  /// All that it got until now.
  var received: String {
    bytes += terminal.read()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits until it has got this and nothing else.
  func receives(_ text: String) async throws {
    try await Stage.wait("\(text) on the board", within: 20) { self.received.count >= text.count }
    #expect(received == text)
  }

  func unplug() {
    guard isPlugged else { return }
    isPlugged = false
    unlink(link)
    terminal.hangUp()
  }

  /// It takes nothing any more; what is written stays with the writer.
  func stall() { #expect(tcflow(terminal.program, TCOOFF) == 0) }
  func goOn() { #expect(tcflow(terminal.program, TCOON) == 0) }
}
