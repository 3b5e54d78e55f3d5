/// What a chip reports of its pins.
///
/// At first, every edge that a pin drives is an event, and no wire is watched.
package struct PinWatch: Hashable, Sendable, Codable {
  private var followed: PinBits?
  private var always = PinBits()
  private var driven = PinBits()
  private(set) var hasWires = false

  package init() {}

  /// Reports the levels of these wires, and of `driven` from when they are outputs for the first
  /// time. Of other pins, those that a timer switches too fast to be audible or a servo's are
  /// reported as low, which saves most of the time of an output of several megahertz.
  package init(wires: Set<Pin>, driven: Set<Pin> = []) {
    followed = PinBits(wires.union(driven))
    always = PinBits(wires)
    self.driven = PinBits(driven)
    hasWires = !wires.isEmpty || !driven.isEmpty
  }

  /// The pins of which every edge is reported.
  func edges(_ port: Pin.Port) -> UInt8 { followed?[port] ?? 0xFF }

  /// The pins whose wires are watched always, and once they have been outputs.
  func wires(_ port: Pin.Port) -> (always: UInt8, driven: UInt8) { (always[port], driven[port]) }
}
