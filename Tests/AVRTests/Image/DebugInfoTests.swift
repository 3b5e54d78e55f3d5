import TestSupport
import Testing

@testable import AVR

/// Debug information with a class `Servo` and variables, as a compiler would write it.
private struct DebugWriter {
  /// The forms of a version.
  let version: UInt16
  private var info: [UInt8] = []
  private var abbreviations: [UInt8] = []
  private var strings: [UInt8] = []
  private var codes: UInt8 = 0
  private var start = 0

  init(version: UInt16) {
    self.version = version
    info = [0, 0, 0, 0, UInt8(version), 0]
    info += version < 5 ? [0, 0, 0, 0, 4] : [1, 4, 0, 0, 0, 0]
    put(tag: 0x11, hasChildren: true, [])
  }

  enum Attribute {
    case name(String)
    case type(Int)
    case origin(Int)
    case size(Int)
    case encoding(UInt8)
    case place(Int)
    case address(UInt32)
    case last(Int)
    case count(Int)
    case flag
  }

  /// Adds an entry. Returns its offset.
  @discardableResult
  mutating func put(tag: UInt8, hasChildren: Bool = false, _ attributes: [Attribute]) -> Int {
    codes += 1
    let offset = info.count
    info.append(codes)
    abbreviations += [codes, tag, hasChildren ? 1 : 0]
    for attribute in attributes {
      switch attribute {
      case .name(let text):
        if version == 2 {
          abbreviations += [0x03, 0x08]
          info += Array(text.utf8) + [0]
        } else {
          abbreviations += [0x03, version < 5 ? 0x0E : 0x1F]
          info += Self.bytes(UInt32(strings.count))
          strings += Array(text.utf8) + [0]
        }
      case .type(let offset):
        abbreviations += [0x49, 0x13]
        info += Self.bytes(UInt32(offset))
      case .origin(let offset):
        abbreviations += [0x47, 0x10]
        info += Self.bytes(UInt32(offset))
      case .size(let size):
        abbreviations += [0x0B, 0x0B]
        info.append(UInt8(size))
      case .encoding(let encoding):
        abbreviations += [0x3E, 0x0B]
        info.append(encoding)
      case .place(let place):
        if version == 2 {
          abbreviations += [0x38, 0x0A]
          info += [2, 0x23, UInt8(place)]
        } else if version < 5 {
          abbreviations += [0x38, 0x0B]
          info.append(UInt8(place))
        } else {
          abbreviations += [0x38, 0x21, UInt8(place)]
        }
      case .address(let address):
        abbreviations += [0x02, version < 4 ? 0x0A : 0x18]
        info += [5, 3] + Self.bytes(address)
      case .last(let last):
        abbreviations += [0x2F, 0x05]
        info += [UInt8(last), 0]
      case .count(let count):
        abbreviations += [0x37, 0x0F]
        info.append(UInt8(count))
      case .flag:
        abbreviations += [0x3C, version < 4 ? 0x0C : 0x19]
        if version < 4 { info.append(1) }
      }
    }
    abbreviations += [0, 0]
    return offset
  }

  mutating func end() { info.append(0) }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// The sections: information, abbreviations, strings.
  var sections: [[UInt8]] {
    var info = info + [0]
    info.replaceSubrange(0..<4, with: Self.bytes(UInt32(info.count - 4)))
    return [info, abbreviations + [0], strings]
  }

  static func objects(in sections: [[UInt8]]) -> [ServoObject] {
    ServoObjectFinder.objects(in: debug(sections, hasCode: false))
  }

  static func debug(_ sections: [[UInt8]], hasCode: Bool) -> DebugInfo {
    DebugInfo(
      DebugSections(
        info: sections[0][...], abbreviations: sections[1][...], strings: sections[2][...],
        lineStrings: sections[2][...]), hasCode: hasCode)
  }

  // MARK: Classes

  private(set) var byte = 0
  private(set) var signed = 0

  mutating func addBytes() {
    byte = put(tag: 0x24, [.name("uint8_t"), .size(1), .encoding(8)])
    signed = put(tag: 0x24, [.name("int8_t"), .size(1), .encoding(6)])
  }

  /// Adds a class with these members. `base` is a class that it is derived from.
  mutating func addClass(
    _ name: String, size: Int, base: Int? = nil, _ members: [(name: String, type: Int, place: Int)]
  ) -> Int {
    let offset = put(tag: 0x02, hasChildren: true, [.name(name), .size(size)])
    if let base { put(tag: 0x1C, [.type(base), .place(0)]) }
    for member in members {
      put(tag: 0x0D, [.name(member.name), .type(member.type), .place(member.place)])
    }
    // A static member has no place.
    put(tag: 0x0D, [.name("count"), .type(byte), .flag])
    end()
    return offset
  }

  mutating func addServo() -> Int {
    addClass(
      "Servo", size: 3,
      [("servoIndex", byte, 0), ("min", signed, 1), ("max", signed, 2)])
  }

  mutating func addVariable(_ type: Int, at address: UInt32) {
    put(tag: 0x34, [.name("v"), .type(type), .address(0x80_0000 | address)])
  }
}

struct DebugInfoTests {
  /// All the ways in which a servo can be a variable, or part of one.
  private static func everything(_ version: UInt16) -> DebugWriter {
    var writer = DebugWriter(version: version)
    writer.addBytes()
    let servo = writer.addServo()
    writer.addVariable(servo, at: 0x100)
    // volatile Servo, through a typedef.
    let volatile = writer.put(tag: 0x35, [.type(servo)])
    let alias = writer.put(tag: 0x16, [.name("Alias"), .type(volatile)])
    writer.addVariable(alias, at: 0x110)
    // An array of two by two.
    let array = writer.put(tag: 0x01, hasChildren: true, [.type(servo)])
    writer.put(tag: 0x21, [.last(1)])
    writer.put(tag: 0x21, [.count(2)])
    writer.end()
    writer.addVariable(array, at: 0x120)
    // A class with a servo and an array of them after three bytes, and a class derived from it.
    let joint = writer.addClass(
      "Joint", size: 16, [("label", writer.byte, 0), ("servo", servo, 1), ("more", array, 4)])
    let knee = writer.addClass("Knee", size: 17, base: joint, [("side", writer.byte, 16)])
    writer.addVariable(knee, at: 0x140)
    // A class derived from Servo, with two bytes of its own.
    let slow = writer.addClass(
      "Slow", size: 5, base: servo, [("speed", writer.signed, 3), ("step", writer.signed, 4)])
    writer.addVariable(slow, at: 0x160)
    // A static variable of a class: its definition has the address, its declaration the type.
    let declaration = writer.put(tag: 0x34, [.name("pan"), .type(servo), .flag])
    writer.put(tag: 0x34, [.origin(declaration), .address(0x80_0170)])
    // What is no servo, or has no address of the data space.
    let three = writer.addClass(
      "Other", size: 3, [("a", writer.byte, 0), ("b", writer.signed, 1), ("c", writer.signed, 2)])
    writer.addVariable(three, at: 0x180)
    writer.put(tag: 0x34, [.name("gone"), .type(servo), .address(0)])
    return writer
  }

  @Test(arguments: [2, 3, 4, 5] as [UInt16])
  func `Servos are found wherever a variable has one`(version: UInt16) {
    let objects = DebugWriter.objects(in: Self.everything(version).sections)
    let expected: [UInt16] = [
      0x100, 0x110, 0x120, 0x123, 0x126, 0x129, 0x141, 0x144, 0x147, 0x14A, 0x14D, 0x160, 0x170,
    ]
    #expect(objects.map { $0.address } == expected)
    #expect(objects.allSatisfy { $0.hasRange })
  }

  @Test func `A class of one byte has no range, and one with other members is not understood`() {
    var writer = DebugWriter(version: 4)
    writer.addBytes()
    let small = writer.addClass("Servo", size: 1, [("index", writer.byte, 0)])
    writer.addVariable(small, at: 0x100)
    let ranged = writer.addClass(
      "Ranged", size: 3, base: small, [("below", writer.signed, 1), ("above", writer.signed, 2)])
    writer.addVariable(ranged, at: 0x110)
    let word = writer.put(tag: 0x24, [.name("int"), .size(2), .encoding(5)])
    let other = writer.addClass(
      "Servo", size: 5, [("index", writer.byte, 0), ("min", word, 1), ("max", word, 3)])
    writer.addVariable(other, at: 0x120)
    #expect(
      DebugWriter.objects(in: writer.sections) == [
        ServoObject(address: 0x100, hasRange: false), ServoObject(address: 0x110, hasRange: true),
      ])
  }

  @Test func `A type that contains itself, or far too many servos, is no trouble`() {
    var writer = DebugWriter(version: 4)
    writer.addBytes()
    let servo = writer.addServo()
    var array = servo
    for _ in 0..<8 {
      let outer = writer.put(tag: 0x01, hasChildren: true, [.type(array), .size(3)])
      writer.put(tag: 0x21, [.last(200)])
      writer.end()
      array = outer
    }
    writer.addVariable(array, at: 0x100)
    #expect(DebugWriter.objects(in: writer.sections) == [])
    var loop = DebugWriter(version: 4)
    let place = loop.put(tag: 0x16, [.name("T"), .type(0)])
    loop.put(tag: 0x16, [.name("T"), .type(place)])
    loop.addVariable(place, at: 0x100)
    #expect(DebugWriter.objects(in: loop.sections) == [])
  }

  @Test func `A servo is only where there is SRAM`() {
    for (address, isFound) in [
      (0x100, true), (0x8FD, true), (0x8FE, false), (0xFFFD, false), (0xFFFE, false),
    ] as [(UInt32, Bool)] {
      var writer = DebugWriter(version: 4)
      writer.addBytes()
      writer.addVariable(writer.addServo(), at: address)
      #expect(DebugWriter.objects(in: writer.sections).isEmpty == !isFound, "\(address)")
    }
  }

  /// Each class is derived twice from the one before: there are 2^30 ways to the first.
  @Test func `Classes that are derived in many ways take no time`() {
    for name in ["Servo", "Other"] {
      var writer = DebugWriter(version: 4)
      writer.addBytes()
      var base = writer.addClass(name, size: 1, [])
      for _ in 0..<30 {
        let next = writer.put(tag: 0x02, hasChildren: true, [.name("C"), .size(3)])
        writer.put(tag: 0x1C, [.type(base), .place(0)])
        writer.put(tag: 0x1C, [.type(base), .place(1)])
        writer.end()
        base = next
      }
      writer.addVariable(base, at: 0x100)
      #expect(DebugWriter.objects(in: writer.sections) == [])
    }
  }

  @Test func `Attributes without bytes, and abbreviations that many units share, have a limit`() {
    // One abbreviation with 20 000 flags that are true without a byte.
    let flags = Array(repeating: [0x3F, 0x19] as [UInt8], count: 20_000).joined()
    let abbreviations = [1, 0x34, 0] + flags + [0, 0, 0]
    func info(_ entries: Int) -> [UInt8] {
      let rest = [4, 0, 0, 0, 0, 0, 4] as [UInt8] + Array(repeating: 1, count: entries)
      return (0..<4).map { UInt8(truncatingIfNeeded: rest.count >> ($0 * 8)) } + rest
    }
    for info in [info(150_000), Array(Array(repeating: info(1), count: 20_000).joined())] {
      let debug = DebugWriter.debug([info, abbreviations, []], hasCode: false)
      #expect(debug.isTooLarge)
      #expect(debug.entries.count < 200)
    }
    let small = DebugWriter.debug([info(9), abbreviations, []], hasCode: false)
    #expect(!small.isTooLarge && small.entries.count == 9)
  }

  @Test func `Damaged sections are read without a trap`() {
    var generator = SeededGenerator(seed: 3_101)
    var foundCounts: Set<Int> = []
    for version in [2, 3, 4, 5] as [UInt16] {
      let whole = Self.everything(version).sections
      for _ in 0..<2_000 {
        var damaged = whole
        for _ in 0...Int.random(in: 0...3, using: &generator) {
          let section = Int.random(in: 0..<3, using: &generator)
          guard !damaged[section].isEmpty else { continue }
          let index = Int.random(in: damaged[section].indices, using: &generator)
          if Int.random(in: 0..<8, using: &generator) == 0 {
            damaged[section] = Array(damaged[section][..<index])
          } else {
            damaged[section][index] = .random(in: .min ... .max, using: &generator)
          }
        }
        foundCounts.insert(DebugWriter.objects(in: damaged).count)
      }
    }
    // Some damage hides nothing, some a part, and some everything.
    #expect(foundCounts.count > 2 && foundCounts.contains(0))
  }
}
