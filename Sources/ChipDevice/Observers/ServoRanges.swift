import AVR
import Sketches

/// The range with which a program attached each servo of Arduino's library, as far as it is
/// certain.
///
/// An object of the library's class `Servo` has three bytes: the servo's index in the table, then a
/// quarter of how far its shortest pulse is below 544 us, and its longest below 2 400 us. Other
/// data can look like that, so an object counts only where the program shows its address: as `this`
/// when it calls a function of the class, or as a variable in the debug information.
struct ServoRanges: Hashable, Sendable {
  enum Function: Hashable {
    /// `attach(int pin)`, with the standard range.
    case attach
    /// `attach(int pin, int min, int max)`.
    case attachRange
    /// `write(int)` or `writeMicroseconds(int)`.
    case write
  }

  /// What is remembered about one servo, by its index in the table.
  struct Servo: Hashable, Sendable, Codable {
    /// The range of its last `attach`; nil if not known.
    var attached: Limits?
    /// Whether that call has not started the pulses yet.
    var isAttaching = false
    /// What the object said as `write` began that has not stored a width yet; nil without one.
    var writing: Writing?
  }

  /// A range that may be none.
  struct Limits: Hashable, Sendable, Codable {
    var minimum: UInt16
    var maximum: UInt16
  }

  struct Writing: Hashable, Sendable, Codable {
    /// Nil if the object's bytes are not a range.
    var limits: Limits?
    /// Whether the range is one that a class derived from the library's may have.
    var isDerived: Bool
  }

  struct Memory: Hashable, Sendable, Codable {
    var servos = Array(repeating: Servo(), count: ServoRanges.count)
    /// The bytes of the objects in the debug information, three for each, as far as they have been
    /// stored since the chip started.
    var bytes: [UInt8]
  }

  static let count = 12
  private static let prefix = "_ZN5Servo6attachE"
  private static let names: [(name: String, function: Function)] = [
    (prefix + "i", .attach), (prefix + "iii", .attachRange), (write, .write),
    (writeMicroseconds, .write),
  ]

  /// The functions that set a servo: in degrees, and in microseconds.
  private static let write = "_ZN5Servo5writeEi"
  private static let writeMicroseconds = "_ZN5Servo17writeMicrosecondsEi"

  /// Returns whether a program sets its servos in microseconds only, so that the range of `attach`
  /// is not the scale of its angles. Where link-time optimization has made the functions local, a
  /// missing one can be a part of its callers.
  static func setsMicroseconds(_ symbols: SymbolTable) -> Bool {
    guard symbols[writeMicroseconds].map({ !$0.isLocal && $0.memory == .flash }) ?? false,
      symbols[prefix + "iii"] != nil
    else { return false }
    return symbols[write] == nil
  }

  /// The functions whose calls are observed, by their byte addresses.
  private let functions: [UInt16: Function]
  /// Whether the class has an `attach` with a range, and therefore objects of three bytes.
  private let hasRanges: Bool
  /// Whether the ranges say nothing about angles.
  private let setsMicroseconds: Bool
  /// Whether each `attach` is a call that is observed: link-time optimization can make copies of
  /// the function that take other arguments.
  private let seesAttach: Bool
  /// The addresses of variables of three bytes, which are objects of a class derived from one of a
  /// single byte if they are `this`.
  private let derived: Set<UInt16>
  /// The objects in the debug information.
  private let objects: [ServoObject]
  private(set) var memory: Memory

  /// `objects` are those in the debug information.
  init(_ symbols: SymbolTable, _ objects: [ServoObject]) {
    var functions: [UInt16: Function] = [:]
    for (name, function) in Self.names {
      guard let symbol = symbols[name], symbol.memory == .flash else { continue }
      functions[symbol.address] = function
    }
    let attach = symbols.symbols.filter { $0.name.utf8.starts(with: Self.prefix.utf8) }
    hasRanges = attach.contains { $0.name.utf8.starts(with: (Self.prefix + "iii").utf8) }
    seesAttach = attach.allSatisfy { !$0.name.utf8.contains(UInt8(ascii: ".")) }
    derived = Set(
      symbols.symbols.filter { $0.memory == .data && $0.kind == .object && $0.size == 3 }
        .map { $0.address })
    setsMicroseconds = Self.setsMicroseconds(symbols)
    self.functions = functions
    self.objects = objects
    memory = Memory(bytes: Array(repeating: 0, count: objects.count * 3))
  }

  /// The byte addresses of the functions whose calls must be passed to `entered`.
  var entries: [UInt16] { functions.keys.sorted() }
  /// The addresses whose stores must be passed to `stored`.
  var watched: [Range<UInt16>] {
    objects.compactMap { $0.hasRange ? $0.address..<$0.address + 3 : $0.address..<$0.address + 1 }
  }

  /// Restores what is remembered. Returns false if it is not that of a program like this one.
  mutating func resume(_ memory: Memory) -> Bool {
    self.memory = memory
    return memory.servos.count == Self.count && memory.bytes.count == objects.count * 3
  }

  mutating func restart() {
    memory = Memory(bytes: Array(repeating: 0, count: objects.count * 3))
  }

  mutating func stored(_ value: UInt8, at address: UInt16) {
    for (number, object) in objects.enumerated()
    where address >= object.address && address - object.address < 3 {
      memory.bytes[number * 3 + Int(address - object.address)] = value
    }
  }

  /// Notes that the program called a function. `registers` are the pairs R19:R18 to R25:R24,
  /// `object` the three bytes of the object.
  mutating func entered(_ address: UInt16, registers: SIMD4<UInt16>, object: UInt32) {
    guard let function = functions[address] else { return }
    let index = Int(object & 0xFF)
    guard index < Self.count else { return }
    let last = (UInt8(truncatingIfNeeded: object >> 8), UInt8(truncatingIfNeeded: object >> 16))
    switch function {
    case .attach:
      memory.servos[index].attached = Limits(.standard)
      memory.servos[index].isAttaching = true
    case .attachRange:
      // The library rounds towards zero, and keeps the low eight bits.
      let minimum = Int16(bitPattern: registers[1])
      let maximum = Int16(bitPattern: registers[0])
      let below = (Int32(ServoLibrary.minimumPulse) - Int32(minimum)) / 4
      let above = (Int32(ServoLibrary.maximumPulse) - Int32(maximum)) / 4
      memory.servos[index].attached = Self.limits(
        UInt8(truncatingIfNeeded: below), UInt8(truncatingIfNeeded: above))
      memory.servos[index].isAttaching = true
    case .write:
      let this = registers[3]
      if hasRanges {
        memory.servos[index].writing = Writing(
          limits: Self.limits(last.0, last.1), isDerived: false)
      } else if derived.contains(this), last != (0, 0) {
        memory.servos[index].writing = Writing(limits: Self.limits(last.0, last.1), isDerived: true)
      }
    }
  }

  /// Notes that the pulses of a servo begin.
  mutating func attached(_ index: Int) {
    if !memory.servos[index].isAttaching { memory.servos[index].attached = nil }
    memory.servos[index].isAttaching = false
  }

  /// Notes that the pulses of a servo stop.
  mutating func detached(_ index: Int) { memory.servos[index].isAttaching = false }

  /// Returns the range of the servo for which a width was stored now; nil if it is not certain.
  mutating func range(of index: Int, for pulse: UInt16) -> ServoRange? {
    let attached = seesAttach ? memory.servos[index].attached?.range : nil
    defer { memory.servos[index].writing = nil }
    if setsMicroseconds { return nil }
    guard let writing = memory.servos[index].writing else { return attached ?? variable(index) }
    guard let range = writing.limits?.range else { return nil }
    if writing.isDerived { return range.writes(pulse) ? range : attached }
    return attached == nil || attached == range ? range : nil
  }

  /// Returns the range in the variable with this index; nil if there is none or if several differ.
  private func variable(_ index: Int) -> ServoRange? {
    var found: [ServoRange] = []
    var hasZeros = false
    for (number, object) in objects.enumerated() where Int(memory.bytes[number * 3]) == index {
      guard object.hasRange else {
        found.append(.standard)
        continue
      }
      let last = (memory.bytes[number * 3 + 1], memory.bytes[number * 3 + 2])
      // One that no constructor has filled in has zeros, and so has the first one with the standard
      // range.
      if index == 0, last == (0, 0), objects.count > 1 {
        hasZeros = true
        continue
      }
      guard let range = Self.limits(last.0, last.1)?.range else { return nil }
      found.append(range)
    }
    if found.isEmpty, hasZeros { return .standard }
    guard let first = found.first, found.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  /// Returns the range in an object's last two bytes; nil if it is none.
  private static func limits(_ below: UInt8, _ above: UInt8) -> Limits? {
    let minimum = Int(ServoLibrary.minimumPulse) - Int(Int8(bitPattern: below)) * 4
    let maximum = Int(ServoLibrary.maximumPulse) - Int(Int8(bitPattern: above)) * 4
    return ServoRange(UInt16(minimum), UInt16(maximum)).map { Limits($0) }
  }
}

extension ServoRanges.Limits {
  init(_ range: ServoRange) {
    self.init(minimum: range.minimum, maximum: range.maximum)
  }

  var range: ServoRange? { ServoRange(minimum, maximum) }
}

extension ServoRange {
  /// Whether `write` with some angle in this range stores the pulse.
  fileprivate func writes(_ pulse: UInt16) -> Bool {
    guard (minimum...maximum).contains(pulse) else { return false }
    let degrees = UInt32(degrees(reading: pulse))
    return UInt32(minimum) + degrees * UInt32(maximum - minimum) / 180 == UInt32(pulse)
  }
}
