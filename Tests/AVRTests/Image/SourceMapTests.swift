import Foundation
import TestSupport
import Testing

@testable import AVR

/// Compilations of `Debugged/stack.cpp`.
enum Debugged: String, CaseIterable, CustomTestStringConvertible {
  case dwarf2 = "stack-2"
  case linkTime = "stack-4-lto"
  case dwarf5 = "stack-5"
  case symbols = "stack-0"
  case stabs = "stack-stabs"

  static let withLines: [Debugged] = [.dwarf2, .linkTime, .dwarf5]

  var testDescription: String { rawValue }

  private func contents(_ ending: String) throws -> Data {
    var folder = URL(filePath: #filePath)
    for _ in 0..<2 { folder.deleteLastPathComponent() }
    return try Data(contentsOf: folder.appending(path: "Debugged/\(rawValue).\(ending)"))
  }

  var bytes: [UInt8] {
    get throws { Array(try contents("elf")) }
  }

  var image: ProgramImage {
    get throws { try ProgramImage(contents: try bytes, name: rawValue) }
  }

  /// What addr2line says from an address on: the places, innermost first; empty where it does not
  /// know.
  var lines: [(address: UInt32, places: [String])] {
    get throws {
      String(decoding: try contents("lines"), as: UTF8.self).split(separator: "\n").map { line in
        let words = line.split(separator: " ", maxSplits: 1)
        let places = words.count < 2 ? [] : words[1].split(separator: ",")
        return (
          address: UInt32(words[0], radix: 16)!,
          places: places.map { String($0.split(separator: " ").last!) }
        )
      }
    }
  }

  func chip(isRecorded: Bool) throws -> ATmega328P {
    var chip = ATmega328P(flash: try image.segments.map { (Int($0.address), $0.bytes) })
    if isRecorded { chip.recordRun(loop: nil, wholly: false) }
    return chip
  }
}

struct SourceMapTests {
  @Test(arguments: Debugged.withLines)
  func `Lines are those that addr2line tells, with those of inlined calls`(file: Debugged) throws {
    let map = try file.image.sourceMap
    let lines = try file.lines
    var count = 0
    for (row, next) in zip(lines, lines.dropFirst()) where !row.places.isEmpty {
      for address in stride(from: row.address, to: next.address, by: 2) {
        let places = map.places(at: address).map { "\($0.fileName):\($0.line)" }
        #expect(places == row.places, "0x\(String(address, radix: 16))")
        count += 1
      }
    }
    #expect(count > 100 && map.hasLines)
  }

  @Test(arguments: Debugged.withLines)
  func `Functions have the names of their classes, also where they are inlined`(
    file: Debugged
  ) throws {
    let map = try file.image.sourceMap
    let add = try #require(map.function(named: "bench::Counter::add").first)
    #expect(map.places(at: add.lowerBound).map { $0.function } == ["bench::Counter::add"])
    #expect(map.places(at: add.lowerBound)[0].file == "/sketch/stack.cpp")
    let twice = try #require(map.function(named: "twice").first)
    #expect(map.places(at: twice.lowerBound).map { $0.function } == ["twice", "loop"])
    #expect(map.function(named: "loop").count == 1 && map.function(named: "Counter::add").isEmpty)
  }

  /// The linker leaves the lines of what it has removed, at address 0.
  @Test func `A function that the linker removed is nowhere`() throws {
    let map = try Debugged.dwarf5.image.sourceMap
    #expect(map.function(named: "unused").isEmpty)
    #expect(map.places(at: 0).allSatisfy { $0.line == 0 })
    #expect(map.frame(at: 0) == nil)
    #expect(try Debugged.dwarf2.image.sourceMap.function(named: "unused").count == 1)
  }

  private static func map(_ variables: [(name: String, isLocal: Bool)]) throws -> SourceMap {
    var builder = ELFBuilder.sample
    builder.symbols = variables.enumerated().map { index, variable in
      .init(
        name: variable.name, value: 0x80_0200 + UInt32(2 * index), size: 2,
        type: variable.isLocal ? 0x01 : 0x11, section: 2)
    }
    return try ProgramImage(contents: builder.bytes, name: "a.elf").sourceMap
  }

  // Each with the places of the variables that are found.
  @Test(
    arguments: [
      ("servos", [("_ZL6servos", true), ("servos", false)], [1]),
      ("servos", [("_ZL6servos", true), ("servos.lto_priv.0", true)], [0, 1]),
      // After link-time optimization.
      ("servos", [("_ZL6servos", true), ("servos", true)], [1]),
      ("servos", [("_ZL6servos", true)], [0]),
      ("turns", [("_ZZ4loopvE5turns", true), ("at", false)], [0]),
      ("turns", [("_ZZ4loopvE5turns", true), ("_ZZ5setupvE5turns", true)], [0, 1]),
      ("setup::turns", [("_ZZ4loopvE5turns", true), ("_ZZ5setupvE5turns", true)], [1]),
      ("Counter::all", [("_ZN7Counter3allE", false)], [0]), ("x", [("at", false)], []),
    ] as [(String, [(String, Bool)], [Int])])
  func `A variable is the program's before that of a file, and one of several is none`(
    name: String, variables: [(String, Bool)], found: [Int]
  ) throws {
    let map = try Self.map(variables.map { ($0.0, $0.1) })
    let places = found.map { 0x200 + 2 * UInt16($0) }
    #expect(map.objects(named: name).map { $0.lowerBound } == places)
    #expect(map.object(named: name)?.lowerBound == (places.count == 1 ? places[0] : nil))
  }

  @Test func `Without lines, functions are those of the symbols`() throws {
    let files: [(Debugged, SourceMap.Origin)] = [(.symbols, .symbols), (.stabs, .stabs)]
    for (file, origin) in files {
      let map = try file.image.sourceMap
      #expect(map.origin == origin && !map.hasLines)
      let add = try #require(map.function(named: "bench::Counter::add").first)
      let place = SourcePlace(function: "bench::Counter::add")
      #expect(map.places(at: add.lowerBound) == [place] && place.text == place.function)
    }
    let hex = Array(HexBuilder.file([(0, [0, 0, 0xFF, 0xCF])]).utf8)
    let map = try ProgramImage(contents: hex, name: "a.hex").sourceMap
    #expect(map.origin == .nothing && map.places(at: 0).isEmpty)
  }
}

struct CallStackTests {
  /// Runs to the line that stores to PORTB: the first time that it is reached from `caller`.
  private func stop(
    _ chip: inout ATmega328P, _ map: SourceMap, in caller: String
  ) throws -> CallStack {
    let add = try #require(map.function(named: "bench::Counter::add").first)
    let addresses = stride(from: add.lowerBound, to: add.upperBound, by: 2)
    let line = try #require(addresses.first { map.places(at: $0).first?.line == 36 })
    for _ in 0..<20_000 {
      let isThere = chip.run(until: 100_000_000, before: [UInt16(line)])
      try #require(isThere)
      let stack = CallStack(of: chip, map)
      if stack.frames.count > 1, stack.frames[1].place.function == caller { return stack }
      chip.run(until: chip.cycle + 1)
    }
    throw StackMissing()
  }

  private struct StackMissing: Error {}

  @Test(arguments: Debugged.withLines, [true, false])
  func `The calls go down to main, by the record or by the frame tables`(
    file: Debugged, isRecorded: Bool
  ) throws {
    let map = try file.image.sourceMap
    var chip = try file.chip(isRecorded: isRecorded)
    let stack = try stop(&chip, map, in: "twice")
    #expect(
      stack.frames.map { $0.place.function } == ["bench::Counter::add", "twice", "loop", "main"])
    #expect(stack.frames.map { $0.place.line } == [36, 47, 54, 61])
    #expect(stack.frames.map { $0.isInlined } == [false, true, false, false])
    #expect(stack.isWhole && !stack.frames.contains { $0.isInterrupt })
    func value(_ name: String, _ frame: Int) -> DebugVariable? {
      stack.frames[frame].variables.first { $0.name == name }
    }
    #expect(value("buffer", 0)?.value == "{1, 2, 3}")
    #expect(value("buffer", 0)?.type == "volatile uint8_t [3]")
    #expect(value("doubled", 1) == DebugVariable(name: "doubled", type: "int", value: "0"))
    // The register of the parameter has been used for something else.
    #expect(value("amount", 0)?.value == nil)
  }

  @Test(arguments: Debugged.withLines, [true, false])
  func `An interrupt is marked, and what it interrupted is found`(
    file: Debugged, isRecorded: Bool
  ) throws {
    let map = try file.image.sourceMap
    var chip = try file.chip(isRecorded: isRecorded)
    let stack = try stop(&chip, map, in: "__vector_16")
    #expect(stack.frames.map { $0.isInterrupt }.prefix(3) == [false, true, false])
    #expect(stack.frames.count { $0.isInterrupt } == 1)
    #expect(stack.isWhole && stack.frames.last?.place.function == "main")
  }

  /// The frame tables do not describe the end of a function, nor all that an interrupt pushes.
  @Test(arguments: Debugged.withLines + [.symbols])
  func `At each instruction, the stack has the calls that the chip made`(file: Debugged) throws {
    let map = try file.image.sourceMap
    var chip = try file.chip(isRecorded: true)
    let main = try #require(map.function(named: "main").first)
    _ = chip.run(until: 100_000, before: [UInt16(main.lowerBound)])
    for _ in 0..<3_000 {
      let stack = CallStack(of: chip, map)
      let calls = try #require(chip.runRecord?.frames.count)
      let frames = stack.frames.filter { !$0.isInlined }
      #expect(stack.isWhole && frames.count == calls && frames.last?.place.function == "main")
      chip.run(until: chip.cycle + 1)
    }
  }

  @Test func `Members, texts, enumerations and bits are formatted by their types`() throws {
    let map = try Debugged.dwarf2.image.sourceMap
    var chip = try Debugged.dwarf2.chip(isRecorded: false)
    let main = try #require(map.function(named: "main").first)
    _ = chip.run(until: 100_000, before: [UInt16(main.lowerBound)])
    let debug = map.debug
    let index = try #require(
      debug.entries.firstIndex {
        $0.tag == .variable && $0.address != nil && $0.name.elementsEqual("point".utf8)
      })
    let state = FrameState(
      registers: [UInt8?](repeating: nil, count: 32), stackPointer: 0x8FF, address: 0)
    let expression = DebugExpression(frame: state, chip: chip)
    var value = DebugValue(map, expression)
    let type = debug.type(of: index)
    let bytes = expression.memory(
      at: try #require(debug.entries[index].address), size: try #require(value.size(of: type)))
    #expect(value.text(bytes, type) == #"{x = -3, name = "ab", mode = SWEEP, low = 5, high = 17}"#)
    #expect(value.name(of: type) == "Point")
    #expect(value.text(bytes.map { _ in nil }, type) == nil)
  }

  /// Twenty thousand files with `SENTRY_SEEDS=400`.
  @Test(arguments: Debugged.withLines)
  func `Damaged debug information is read without a trap`(file: Debugged) throws {
    let whole = try file.bytes
    let map = try file.image.sourceMap
    var chip = try file.chip(isRecorded: false)
    let depth = try stop(&chip, map, in: "twice").frames.count
    let debug = ELFReader(bytes: whole, name: "").debugSections
    let start = min(debug.info.startIndex, debug.lines.startIndex, debug.frames.startIndex)
    var results: Set<Int> = []
    for seed in Seeds.first(20) {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<17 {
        var bytes = whole
        for _ in 0...Int.random(in: 0..<3, using: &random) {
          damage(&bytes, from: start, using: &random)
        }
        guard let image = try? ProgramImage(contents: bytes, name: "damaged") else { continue }
        let map = image.sourceMap
        results.insert(CallStack(of: chip, map).frames.count)
        for _ in 0..<20 {
          let address = UInt32.random(in: 0..<0x200, using: &random)
          _ = (map.places(at: address), map.frame(at: address))
        }
        _ = map.function(named: "loop")
      }
    }
    // Some damage hides nothing, and some a part.
    #expect(results.contains(depth) && results.count > 1)
  }

  private func damage(
    _ bytes: inout [UInt8], from start: Int, using random: inout SeededGenerator
  ) {
    let place = Int.random(in: start..<bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = .random(in: 0...255, using: &random)
    case 2:
      let edges: [UInt32] = [
        0, 1, 0x7FFF, 0x8000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x80_0100,
      ]
      let value = edges.randomElement(using: &random)!
      for offset in 0..<4 where place + offset < bytes.count {
        bytes[place + offset] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(offset)))
      }
    default:
      // Sections shift, and the file keeps its length.
      let count = Int.random(in: 1...40, using: &random)
      let from = Int.random(in: start..<bytes.count, using: &random)
      for offset in 0..<count where place + offset < bytes.count && from + offset < bytes.count {
        bytes[place + offset] = bytes[from + offset]
      }
    }
  }
}
