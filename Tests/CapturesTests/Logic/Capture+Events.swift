import Sketches
import Traces

@testable import Captures

extension Capture {
  var all: [Event] {
    get throws {
      var events: [Event] = []
      try read { (event) throws(CaptureError) in events.append(event) }
      return events
    }
  }
}

extension Event {
  /// The canonical text after the time.
  var text: String {
    var line: [UInt8] = []
    line.appendLine(self)
    let text = String(decoding: line.dropLast(2), as: UTF8.self)
    return String(text.split(separator: ", ", maxSplits: 1)[1])
  }
}

extension [Event] {
  /// The bytes to the board.
  var received: [UInt8] {
    flatMap { event -> [UInt8] in if case .receive(let bytes) = event.kind { bytes } else { [] } }
  }

  /// The bytes from the board.
  var sent: [UInt8] {
    compactMap { if case .transmit(let byte)? = $0.output { byte } else { nil } }
  }

  /// The pulses' widths in microseconds.
  var pulses: [Double] {
    compactMap { if case .pulse(let width, _)? = $0.output { width } else { nil } }
  }

  /// The texts of events whose kinds start with `x-`.
  var others: [String] { filter { $0.kind.extra != nil }.map { $0.text } }

  /// The instants of the events with bytes to the board, in nanoseconds.
  var receiveTimes: [Int64] {
    compactMap { if case .receive = $0.kind { $0.time.nanoseconds } else { nil } }
  }
}
