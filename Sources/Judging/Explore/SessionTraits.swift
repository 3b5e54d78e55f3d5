package import Devices
package import Sketches
package import Traces

/// What a session showed, as numbers. A session is new if it shows one that no other did.
///
/// There is one for each output, coarsely (a servo's angle to 10 degrees); each output with the one
/// before it; how long after the last input it came, to a power of two; what the sketch was doing
/// and how many bytes waited when bytes of a kind arrived; and what it did next. On a device that
/// runs a program, there is also one for each way that this took at one of its instructions.
package struct SessionTraits: Sendable {
  package private(set) var values = TraitSet()
  /// When the first outputs were.
  package private(set) var times: [Instant] = []
  private static let timesMax = 64
  private var lastOutput: UInt32 = 0
  private var lastPlace: UInt32 = 0
  private var lastInput = Instant.zero

  package init() {}

  /// Takes what the device did.
  package mutating func take(_ event: Event) {
    guard let output = event.output else { return }
    let signature = Self.signature(of: output)
    if times.count < Self.timesMax { times.append(event.time) }
    insert(1, signature)
    insert(2, lastOutput, signature)
    let delay = UInt64(max(0, (event.time - lastInput).nanoseconds) / 1_000)
    insert(3, signature >> 8, UInt32(64 - delay.leadingZeroBitCount))
    lastOutput = signature
  }

  /// Takes an input, as it finds the device.
  package mutating func take(_ input: Event, on device: some Device) {
    lastInput = input.time
    look(at: device)
    insert(5, lastPlace, Self.signature(of: input))
  }

  /// What is read of a device between its inputs.
  package mutating func look(at device: some Device) {
    let place = place(of: device)
    if place != lastPlace { insert(4, lastPlace, place) }
    lastPlace = place
  }

  /// Takes the ways that the device's program took. `side` is 0, or 1 for the other device of two.
  package mutating func takeBranches(of device: some Device, side: UInt32 = 0) {
    device.forEachBranch { insert(6 + side, $0) }
  }

  private func place(of device: some Device) -> UInt32 {
    let activity: UInt32 =
      switch device.activity {
      case nil: 0
      case .startingUp: 1
      case .idle: 2
      case .readingNumber(let value):
        // By its digits, and whether it is an angle.
        value == 0 ? 3 : value < 10 ? 4 : value < 100 ? 5 : value <= 180 ? 6 : 7
      case .purging: 8
      case .aiming: 9
      case .scanning(_, let rising): rising ? 10 : 11
      case .sounding: 12
      }
    let waiting = UInt32(UInt32.bitWidth - UInt32(device.unreadCount).leadingZeroBitCount)
    return activity << 8 | waiting
  }

  private static func signature(of output: Output) -> UInt32 {
    switch output {
    case .servo(let degrees, _, let pin): 0x1_00 | UInt32(degrees / 10) | number(pin) << 16
    case .pulse(let width, let pin):
      0x2_00 | UInt32(min(255, max(0, width) / 50)) | number(pin) << 16
    case .tone(let hertz): 0x3_00 | UInt32(min(255, max(0, hertz) / 100))
    case .transmit(let byte): 0x4_00 | UInt32(byte)
    case .lost(_, let loss): 0x5_00 | UInt32(Output.Loss.allCases.firstIndex(of: loss) ?? 0)
    case .pin(let pin, let isHigh): 0x6_00 | (isHigh ? 1 : 0) | number(pin) << 16
    case .attached(_, let pin): 0x7_00 | number(pin) << 16
    case .detached(let pin, _): 0x8_00 | number(pin) << 16
    }
  }

  private static func number(_ pin: BoardPin?) -> UInt32 {
    // The name is short, and stays the same from run to run, unlike a hash value.
    guard let pin else { return 0 }
    return pin.name.utf8.reduce(7) { ($0 &* 31 &+ UInt32($1)) & 0x7FFF }
  }

  private static func signature(of input: Event) -> UInt32 {
    switch input.kind {
    case .receive(let bytes): UInt32(bytes.first ?? 0) | (bytes.count > 1 ? 0x100 : 0)
    case .reset: 0x200
    case .senderBreak: 0x201
    default: 0x202
    }
  }

  private mutating func insert(_ kind: UInt32, _ a: UInt32, _ b: UInt32 = 0) {
    // FNV-1a over the words.
    var hash: UInt32 = 2_166_136_261
    for word in [kind, a, b] { hash = (hash ^ word) &* 16_777_619 ^ word >> 15 }
    values.insert(hash)
  }
}
