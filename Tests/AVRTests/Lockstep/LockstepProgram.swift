import Foundation
import Testing

@testable import AVR

/// A firmware file that runs in both emulators: one of those in `SENTRY_LOCKSTEP_PROGRAMS`,
/// separated by colons.
struct LockstepProgram: Sendable, CustomTestStringConvertible {
  let path: String

  static let all: [LockstepProgram] =
    (ProcessInfo.processInfo.environment["SENTRY_LOCKSTEP_PROGRAMS"] ?? "")
    .split(separator: ":").map { LockstepProgram(path: String($0)) }

  var testDescription: String { path }

  func image() throws -> ProgramImage {
    try ProgramImage(contents: Array(Data(contentsOf: URL(filePath: path))), name: path)
  }

  func chip() throws -> ATmega328P {
    ATmega328P(flash: try image().segments.map { (Int($0.address), $0.bytes) })
  }
}

/// The bytes that a sender sends to a program, at 9600 baud 8N1 and 16 MHz.
struct LockstepSender {
  enum Event {
    case startBit
    case byte(UInt8)
  }

  /// In order of time, in clock cycles.
  private(set) var events: [(cycle: UInt64, event: Event)] = []

  /// Aims, junk, a sweep, and a burst that is too fast for a slow reader. Some arrive during
  /// start-up.
  static let session: LockstepSender = {
    var sender = LockstepSender()
    for (milliseconds, text) in [
      (20, "X90."), (100, "X45.\r\nX135."), (300, "X9X45.junk"), (450, "L"), (600, "X170."),
      (700, "L"),
      (850, "?VX30.X60.X120.X150.X20.X40.X80.TOC"), (1020, "X65546."), (1100, "L"), (1900, "X10."),
    ] { sender.send(text, at: UInt64(milliseconds) * 16_000) }
    return sender
  }()

  private mutating func send(_ text: String, at start: UInt64) {
    for (index, byte) in text.utf8.enumerated() {
      // Ten bits of 1 666.67 cycles.
      let begin = start + UInt64(index) * 50_000 / 3
      events.append((begin, .startBit))
      events.append((start + UInt64(index + 1) * 50_000 / 3, .byte(byte)))
    }
    // One byte ends when the next one starts. The end is handled first.
    events.sort { left, right in
      if left.cycle != right.cycle { return left.cycle < right.cycle }
      if case .byte = left.event, case .startBit = right.event { return true }
      return false
    }
  }
}
