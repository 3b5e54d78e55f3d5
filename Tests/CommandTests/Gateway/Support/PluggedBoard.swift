import Foundation
import Platform
import TestSupport
import Testing

/// A board at a serial port that can be unplugged: a link to a pty in the bench's folder. It only
/// receives, so its firmware must be one that sends nothing.
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

  /// Everything that it has received so far.
  var received: String {
    bytes += terminal.read()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Waits until it has received exactly this.
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

  /// Makes it accept no more bytes. Written bytes stay with the writer.
  func stall() { #expect(tcflow(terminal.program, TCOOFF) == 0) }
  func goOn() { #expect(tcflow(terminal.program, TCOON) == 0) }
}
