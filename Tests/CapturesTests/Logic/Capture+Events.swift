import Traces
import Turret

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

  /// The texts of events of other kinds.
  var others: [String] {
    compactMap { if case .other(let text) = $0.kind { text } else { nil } }
  }

  /// The instants of the events with bytes to the board, in nanoseconds.
  var receiveTimes: [Int64] {
    compactMap { if case .receive = $0.kind { $0.time.nanoseconds } else { nil } }
  }
}
