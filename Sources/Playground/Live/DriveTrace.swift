import Traces
import Turret

/// The trace of a session that is driven, up to a maximum length.
struct DriveTrace: Sendable {
  var text: [UInt8] = []
  /// Whether events are missing at its end.
  private(set) var isCut = false

  mutating func write(_ event: Event) {
    // Fifty pulses a second would be most of a trace, and follow from the rest.
    if case .output(let output) = event.kind, output.kind.isOnRequest { return }
    guard text.count < DriveLimits.trace else {
      isCut = true
      return
    }
    text.appendLine(event)
  }

  /// Cuts the text to a length, in bytes.
  mutating func cut(to length: Int) {
    text.removeLast(text.count - min(text.count, length))
    isCut = false
  }
}
