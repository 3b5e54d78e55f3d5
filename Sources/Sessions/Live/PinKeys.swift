import Turret

/// The view's keys 1 to 9. Each changes the level of one of the pins of --set.
struct PinKeys: Hashable, Sendable {
  private static let countMax = 9
  /// In the order of the keys.
  private var pins: [BoardPin] = []
  private var isHigh: [Bool] = []

  init(_ inputs: [BoardInput]) {
    for case .level(let pin, let isHigh) in inputs where !pins.contains(pin) {
      guard pins.count < Self.countMax else { return }
      pins.append(pin)
      self.isHigh.append(isHigh)
    }
  }

  /// Returns the input that a key causes; nil if the key has no pin.
  mutating func press(_ key: UInt8) -> BoardInput? {
    let index = Int(key) - Int(UInt8(ascii: "1"))
    guard pins.indices.contains(index) else { return nil }
    isHigh[index].toggle()
    return .level(pins[index], isHigh[index])
  }

  static func notice(_ input: BoardInput) -> String {
    guard case .level(let pin, let isHigh) = input else { return "" }
    return "\(pin.name) is now \(isHigh ? 1 : 0)."
  }

  /// Returns the view's description of the keys; nil if there are none.
  static func help(_ inputs: [BoardInput]) -> String? {
    let keys = PinKeys(inputs)
    guard !keys.pins.isEmpty else { return nil }
    return keys.pins.enumerated().map { "\($0 + 1): \($1.name)" }.joined(separator: ", ")
  }
}
