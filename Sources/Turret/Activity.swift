/// What a sketch is doing. The description is the wording used in reports.
package enum Activity: Hashable, Sendable, CustomStringConvertible {
  case startingUp
  case idle
  case readingNumber(UInt16)
  case purging
  case aiming(UInt16)
  case scanning(next: UInt8, rising: Bool)
  case sounding

  package var isScanning: Bool {
    if case .scanning = self { true } else { false }
  }

  package var isReadingNumber: Bool {
    if case .readingNumber = self { true } else { false }
  }

  package var description: String {
    switch self {
    case .startingUp: "starting up, reading nothing"
    case .idle: "idle"
    case .readingNumber(let value): "reading a number, \(value) so far"
    case .purging: "discarding the waiting bytes (purge)"
    case .aiming(let value): "writing \(value) to the servo"
    case .scanning(let next, let rising):
      "scanning \(rising ? "up" : "down"), \(next) degrees next"
    case .sounding: "sounding a tone, reading nothing"
    }
  }
}
