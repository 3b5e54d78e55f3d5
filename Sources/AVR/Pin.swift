/// A pin of a port.
package struct Pin: Hashable, Sendable, Saved {
  package enum Port: UInt8, Hashable, Sendable, Saved, CaseIterable {
    case B, C, D
  }

  package var port: Port
  /// 0...7
  package var bit: UInt8

  package init(_ port: Port, _ bit: UInt8) {
    self.port = port
    self.bit = bit
  }

  /// An Uno's digital pin, 0...19 (14...19 are A0...A5); nil for any other number.
  package init?(arduino number: Int) {
    switch number {
    case 0...7: self.init(.D, UInt8(number))
    case 8...13: self.init(.B, UInt8(number - 8))
    case 14...19: self.init(.C, UInt8(number - 14))
    default: return nil
    }
  }

  /// The Uno's digital pin, 0...19; nil if none is connected to it.
  package var arduino: Int? {
    switch port {
    case .D: Int(bit)
    case .B: bit < 6 ? 8 + Int(bit) : nil
    case .C: bit < 6 ? 14 + Int(bit) : nil
    }
  }
}

/// What a chip reports of its pins.
///
/// At first, every edge that a pin drives is an event, and no wire is watched.
package struct PinWatch: Hashable, Sendable {
  /// The bits of a port's pins.
  private struct Ports: Hashable {
    var B: UInt8
    var C: UInt8
    var D: UInt8

    init(_ pins: Set<Pin>) {
      func bits(_ port: Pin.Port) -> UInt8 {
        pins.reduce(0) { $1.port == port ? $0 | 1 << $1.bit : $0 }
      }
      (B, C, D) = (bits(.B), bits(.C), bits(.D))
    }

    @inline(__always)
    subscript(port: Pin.Port) -> UInt8 {
      switch port {
      case .B: B
      case .C: C
      case .D: D
      }
    }
  }

  private var followed: Ports?
  private var always = Ports([])
  private var driven = Ports([])
  /// Whether the level of any wire is reported.
  private(set) var hasWires = false

  package init() {}

  /// Reports the levels of these wires, and of `driven` from when they are outputs for the first
  /// time. Of other pins, those that a timer switches too fast to be audible or a servo's are
  /// reported as low, which saves most of the time of an output of several megahertz.
  package init(wires: Set<Pin>, driven: Set<Pin> = []) {
    followed = Ports(wires.union(driven))
    always = Ports(wires)
    self.driven = Ports(driven)
    hasWires = !wires.isEmpty || !driven.isEmpty
  }

  /// The pins of which every edge is reported.
  func edges(_ port: Pin.Port) -> UInt8 { followed?[port] ?? 0xFF }

  /// The pins whose wires are watched always, and once they have been outputs.
  func wires(_ port: Pin.Port) -> (always: UInt8, driven: UInt8) { (always[port], driven[port]) }
}
