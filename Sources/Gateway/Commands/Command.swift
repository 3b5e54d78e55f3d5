/// One command of the wire grammar, whole.
package enum Command: Hashable, Sendable {
  /// Points the servo: `X90.`, degrees 0...180.
  case aim(UInt8)
  /// The target is lost, the turret is to sweep: `L`.
  case lost
  /// A tone's letter: `T`, `O` or `C`.
  case tone(UInt8)
  /// Asks guarded for its state or its telemetry: `?` or `V`.
  case query(UInt8)

  /// Whether it says what the turret is to do from now on; what else there is passes.
  package var isLasting: Bool {
    switch self {
    case .aim, .lost: true
    case .tone, .query: false
    }
  }

  /// What goes down the cable.
  package var bytes: [UInt8] {
    switch self {
    case .aim(let degrees): Array("X\(degrees).".utf8)
    case .lost: [UInt8(ascii: "L")]
    case .tone(let letter), .query(let letter): [letter]
    }
  }
}
