/// Everything that is wired to the chip.
struct Parts: Hashable, Sendable, Codable {
  // MARK: The table: a property, a kind, and a line of `connect` and `all` for each part

  private var drivers: [Wired<PCA9685>] = []
  private var sonars: [Wired<HCSR04>] = []

  static let kinds = [PCA9685.kind, HCSR04.kind]

  private mutating func connect(
    _ name: String, _ place: PartPlace, _ number: UInt8, _ rate: ClockRate
  ) -> [Pin]? {
    switch name {
    case PCA9685.kind.name: Self.connect(&drivers, place, number, rate)
    case HCSR04.kind.name: Self.connect(&sonars, place, number, rate)
    default: nil
    }
  }

  @inline(__always)
  private mutating func all<V: PartVisitor>(_ visitor: inout V) {
    for index in drivers.indices { visitor.visit(&drivers[index]) }
    for index in sonars.indices { visitor.visit(&sonars[index]) }
  }

  // MARK: What they have in common

  static let countMax: UInt8 = 64

  private(set) var count: UInt8 = 0
  private(set) var isOnSPI = false
  private(set) var watched = PinBits()
  private(set) var deadline: UInt64 = .max

  /// Connects a part. Returns false if there is no such part or place.
  mutating func connect(_ name: String, _ place: PartPlace, _ rate: ClockRate) -> Bool {
    guard count < Self.countMax, let pins = connect(name, place, count, rate) else { return false }
    count += 1
    isOnSPI = isOnSPI || Self.kinds.contains { $0.name == name && $0.isOnSPI }
    watched.formUnion(pins)
    return true
  }

  private static func connect<P: WiredPart>(
    _ list: inout [Wired<P>], _ place: PartPlace, _ number: UInt8, _ rate: ClockRate
  ) -> [Pin]? {
    guard let part = P(at: place, rate) else { return nil }
    list.append(Wired(number: number, part: part))
    return part.watched
  }

  /// Whether each has its memory; it may not have in a file.
  var areWhole: Bool { drivers.allSatisfy { $0.part.isWhole } }

  /// Tells all parts of an event; or one, by its number.
  mutating func take(
    _ event: PartEvent, by number: UInt8? = nil, at cycle: UInt64
  ) -> PartEffects {
    var telling = Telling(event: event, number: number, cycle: cycle)
    all(&telling)
    deadline = telling.deadline
    return telling.effects
  }
}

/// A generic operation on one part. The compiler specializes it for each of them.
protocol PartVisitor {
  mutating func visit<P: WiredPart>(_ wired: inout Wired<P>)
}

private struct Telling: PartVisitor {
  let event: PartEvent
  let number: UInt8?
  let cycle: UInt64
  var effects = PartEffects()
  var deadline: UInt64 = .max

  mutating func visit<P: WiredPart>(_ wired: inout Wired<P>) {
    let isMeant: Bool =
      switch event {
      case .time: wired.part.deadline <= cycle
      case .level(let pin, _): wired.part.watched.contains(pin)
      default: number ?? wired.number == wired.number
      }
    if isMeant { wired.take(event, at: cycle, &effects) }
    deadline = min(deadline, wired.part.deadline)
  }
}

// They are a row of the chip's table, so that what they do is done at its cycle.
extension Parts: Peripheral {
  /// They have none.
  enum Register: RawRepresentable, CaseIterable {
    static let allCases: [Register] = []

    init?(rawValue: UInt8) { nil }

    var rawValue: UInt8 {
      switch self {}
    }
  }

  static let owner = Peripherals.Owner.parts

  static func peek(_ register: Register, _ chip: Peripherals, at cycle: UInt64) -> UInt8? {}
  static func write(
    _ value: UInt8, to register: Register, _ chip: inout Peripherals, at cycle: UInt64, pc: UInt16
  ) {}

  static func deadline(_ chip: Peripherals) -> UInt64 { chip.parts.deadline }

  static func advance(_ chip: inout Peripherals, to cycle: UInt64) {
    chip.tell(.time, at: cycle)
  }

  static func reset(_ chip: inout Peripherals, at cycle: UInt64) {}
}

extension Peripherals {
  /// Tells the parts of an event, and does what they do.
  @discardableResult
  mutating func tell(
    _ event: PartEvent, to number: UInt8? = nil, at cycle: UInt64
  ) -> PartEffects {
    let effects = parts.take(event, by: number, at: cycle)
    update(Parts.self)
    for (part, output) in effects.outputs { put(.part(part, output), at: cycle) }
    for (pin, isHigh) in effects.levels {
      // A part's level is reported where its wire is watched.
      change(pin.port, at: cycle) { $0.drive(pin.bit, isHigh, at: cycle) }
      compareVoltages(at: cycle)
    }
    return effects
  }

  /// Tells the parts that the levels of pins of a port have changed.
  mutating func tellLevels(_ changed: UInt8, of port: Pin.Port, _ levels: UInt8, at cycle: UInt64) {
    var rest = changed
    while rest != 0 {
      let bit = UInt8(rest.trailingZeroBitCount)
      rest &= rest - 1
      tell(.level(Pin(port, bit), isHigh: levels & 1 << bit != 0), at: cycle)
    }
  }
}
