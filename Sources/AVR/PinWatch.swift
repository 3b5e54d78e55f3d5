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
