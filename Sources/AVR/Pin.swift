package struct Pin: Hashable, Sendable, Codable {
  package enum Port: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case B, C, D
  }

  /// USART0's input.
  package static let RXD = Pin(.D, 0)

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
    case .D: bit < 8 ? Int(bit) : nil
    case .B: bit < 6 ? 8 + Int(bit) : nil
    case .C: bit < 6 ? 14 + Int(bit) : nil
    }
  }
}

/// A set of pins, as a byte for each port.
struct PinBits: Hashable, Sendable, Codable {
  private var B: UInt8 = 0
  private var C: UInt8 = 0
  private var D: UInt8 = 0

  init() {}

  init(_ pins: some Sequence<Pin>) { formUnion(pins) }

  mutating func formUnion(_ pins: some Sequence<Pin>) {
    for pin in pins { self[pin.port] |= 1 << pin.bit }
  }

  private(set) subscript(port: Pin.Port) -> UInt8 {
    @inline(__always) get {
      switch port {
      case .B: B
      case .C: C
      case .D: D
      }
    }
    set {
      switch port {
      case .B: B = newValue
      case .C: C = newValue
      case .D: D = newValue
      }
    }
  }
}
