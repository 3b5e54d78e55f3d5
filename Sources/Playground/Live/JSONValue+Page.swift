import Traces
import Turret

extension JSONValue {
  /// An instant in whole microseconds.
  static func microseconds(_ instant: Instant) -> JSONValue {
    .number("\(instant.nanoseconds / 1_000)")
  }

  /// A number with at most two decimals.
  static func rounded(_ value: Double) -> JSONValue {
    var text: [UInt8] = []
    text.appendShortest((value * 100).rounded() / 100)
    return .number(String(decoding: text, as: UTF8.self))
  }
}
