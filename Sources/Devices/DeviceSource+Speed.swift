package import Traces

extension DeviceSource {
  /// Returns what is to be said of a trace whose speed is not that of the sketch: a list of at most
  /// one sentence. `speed`: what `findSpeed` returned.
  package func speedNotes(_ header: Header, speed: Int?) -> [String] {
    guard let speed, abs(speed - header.baud) * 100 > header.baud * 3 else { return [] }
    return [
      "the trace was recorded at \(header.baud) baud, and the sketch listens at \(speed) baud"
    ]
  }
}
