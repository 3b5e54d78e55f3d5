package import Traces

extension DeviceSource {
  /// Returns the notes about a trace whose speed is not that of the sketch: at most one sentence.
  /// `speed` is the result of `findSpeed`.
  package func speedNotes(_ header: Header, speed: Int?) -> [String] {
    guard let speed, abs(speed - header.baud) * 100 > header.baud * 3 else { return [] }
    return [
      "the trace was recorded at \(header.baud) baud, and the sketch listens at \(speed) baud"
    ]
  }
}
