package import Turret

/// The level of each wire.
package struct WireLevels: Hashable, Sendable {
  /// A bit for each wire, at its raw value.
  package private(set) var bits: UInt8

  /// Each wire at rest.
  package static let atRest: WireLevels = {
    var levels = WireLevels(bits: 0)
    for wire in BoardWire.allCases { levels[wire] = wire.isHighAtRest }
    return levels
  }()

  package subscript(wire: BoardWire) -> Bool {
    get { bits & 1 << UInt8(wire.rawValue) != 0 }
    set {
      let bit: UInt8 = 1 << UInt8(wire.rawValue)
      bits = newValue ? bits | bit : bits & ~bit
    }
  }
}

extension BoardWire {
  /// The wire's name in a file.
  package var channelName: String {
    switch self {
    case .rx: "RX"
    case .tx: "TX"
    case .servo: "SERVO"
    case .tone: "TONE"
    }
  }
}
