import Traces
package import Turret

extension Output {
  /// Whether a verification takes the two for the same value: a pulse within 3 us, a tone within
  /// 1 % of what was expected, everything else exactly.
  package func matches(_ found: Output) -> Bool {
    switch (self, found) {
    case (.servo(let a, let b), .servo(let c, let d)): a == c && b == d
    case (.pulse(let expected), .pulse(let found)): abs(expected - found) <= 3
    case (.tone(let expected), .tone(let found)): abs(expected - found) <= expected / 100
    case (.transmit(let expected), .transmit(let found)): expected == found
    case (.lost(let byte, let why), .lost(let foundByte, let foundWhy)):
      byte == foundByte && why == foundWhy
    case (.servo, _), (.pulse, _), (.tone, _), (.transmit, _), (.lost, _): false
    }
  }
}

extension Output: CustomStringConvertible {
  /// The output as a report names it.
  package var description: String {
    switch self {
    case .servo(let degrees, let microseconds): "servo \(degrees) (\(microseconds) us)"
    case .pulse(let microseconds): "a pulse of \(String(shortest: microseconds)) us"
    case .tone(let hertz): hertz == 0 ? "silence" : "a tone of \(String(shortest: hertz)) Hz"
    case .transmit(let byte): "the byte \(quoted(byte)) sent"
    case .lost(let byte, let why): "the byte \(quoted(byte)) lost (\(why.rawValue))"
    }
  }

  private func quoted(_ byte: UInt8) -> String {
    var text: [UInt8] = []
    text.appendQuoted(bytes: [byte])
    return String(decoding: text, as: UTF8.self)
  }
}
