import Foundation
import TestSupport
import Testing

@testable import Traces

/// Time zones from the files of the system's database.
@Suite struct ZoneTableTests {
  private static func bytes(_ value: Int64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
  }

  /// Makes the text of a file. Each change leads to the type with that index.
  private static func file(
    _ changes: [(time: Int64, type: UInt8)] = [], offsets: [Int64] = [0], footer: String,
    version: Character = "2"
  ) -> [UInt8] {
    func block(_ timeSize: Int, _ changes: [(time: Int64, type: UInt8)]) -> [UInt8] {
      var text = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
      for count in [0, 0, 1, changes.count, offsets.count, 4] {
        text += bytes(Int64(count), 4)
      }
      for change in changes { text += bytes(change.time, timeSize) }
      text += changes.map(\.type)
      for offset in offsets { text += bytes(offset, 4) + [0, 0] }
      return text + Array("ABC\0".utf8) + [UInt8](repeating: 0, count: timeSize + 4)
    }
    return block(4, []) + block(8, changes) + Array("\n\(footer)\n".utf8)
  }

  private static func seconds(_ text: String) -> Int64 {
    let fields = text.split { "-T:".contains($0) }.map { Int64($0)! }
    return CivilTime.days(fields[0], fields[1], fields[2]) * 86_400 + fields[3] * 3_600
      + fields[4] * 60
  }

  @Test(
    arguments: [
      ("2026-01-15T12:00", 3_600), ("2026-07-15T12:00", 7_200),
      // Left out, then shown twice.
      ("2026-03-29T01:59", 3_600), ("2026-03-29T02:30", 7_200), ("2026-03-29T03:00", 7_200),
      ("2026-10-25T01:59", 7_200), ("2026-10-25T02:30", 7_200), ("2026-10-25T03:00", 3_600),
      ("9999-07-01T00:00", 7_200), ("1960-07-01T00:00", 0), ("1975-07-01T00:00", 1_800),
    ])
  func `A zone has the offsets of its table, and later those of its rule`(
    _ local: String, _ offset: Int
  ) throws {
    let changes: [(time: Int64, type: UInt8)] = [(0, 1), (Self.seconds("1980-01-01T00:00"), 2)]
    let zone = try #require(
      ZoneTable(
        file: Self.file(
          changes, offsets: [0, 1_800, 3_600], footer: "CET-1CEST,M3.5.0,M10.5.0/3")))
    #expect(zone.offset(atLocal: Self.seconds(local)) == offset)
  }

  @Test(
    arguments: [
      ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T01:59", -18_000),
      ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T03:00", -14_400),
      ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T00:59", -14_400),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-01-01T00:00", 39_600),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-07-01T00:00", 37_800),
      ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00", 0),
      ("A2B", "2026-01-01T00:00", nil), ("AAA2BBB", "2026-01-01T00:00", nil),
      ("AAA-2BBB,J60/0,J300/0", "2028-02-29T23:00", 7_200),
      ("AAA-2BBB,J60/0,J300/0", "2028-03-01T01:00", 10_800),
      ("AAA-2BBB,59/0,300/0", "2028-02-29T01:00", 10_800),
      ("XXX3EDT4,0/0,J365/23", "2026-07-01T00:00", -14_400),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-28T22:30", -7_200),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:30", -3_600),
      ("UTC0", "1850-01-01T00:00", 0),
    ] as [(String, String, Int?)])
  func `Rules are read as POSIX states them`(_ rule: String, _ local: String, _ offset: Int?) {
    let zone = ZoneTable(file: Self.file(footer: rule))
    #expect(zone?.offset(atLocal: Self.seconds(local)) == offset)
  }

  @Test func `Without a rule, the offset after the last change is not known`() throws {
    let zone = try #require(
      ZoneTable(file: Self.file([(1_000, 1)], offsets: [60, 120], footer: "")))
    #expect(zone.offset(atLocal: 1_059) == 60)
    #expect(zone.offset(atLocal: 1_060) == nil)
    #expect(zone.offset(atLocal: .max) == nil)
    #expect(zone.offset(atLocal: .min) == nil)
  }

  @Test func `Anything else is no zone`() {
    let good = Self.file([(5, 0)], footer: "UTC0")
    #expect(ZoneTable(file: good) != nil)
    for count in 0..<good.count { #expect(ZoneTable(file: Array(good.prefix(count))) == nil) }
    for bad in [
      Self.file(footer: "UTC0", version: "\0"), Self.file(footer: "UTC"),
      Self.file(footer: "UTC0,"),
      Self.file(footer: "U0"), Self.file(footer: "UTC25"),
      Self.file(footer: "UTC0UTD,M13.1.0,M1.1.0"),
      Self.file(offsets: [], footer: "UTC0"), Self.file([(5, 1)], footer: "UTC0"),
      Self.file([(5, 0), (5, 0)], footer: "UTC0"), Self.file(offsets: [100_000], footer: "UTC0"),
    ] {
      #expect(ZoneTable(file: bad) == nil)
    }
  }

  @Test func `A damaged file never traps`() {
    var random = SeededGenerator(seed: 8_536)
    let whole = Self.file(
      [(0, 1), (100_000_000, 2), (200_000_000, 1)], offsets: [0, 3_600, 7_200],
      footer: "CET-1CEST,M3.5.0,M10.5.0/3")
    var readCount = 0
    for _ in 0..<20_000 {
      var file = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<file.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: file[place] = .random(in: 0...255, using: &random)
        case 1: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: file.remove(at: place)
        default: file.insert(.random(in: 0...255, using: &random), at: place)
        }
      }
      guard let zone = ZoneTable(file: file) else { continue }
      readCount += 1
      for _ in 0..<4 {
        let time = Int64.random(in: -70_000_000_000...260_000_000_000, using: &random)
        if let offset = zone.offset(atLocal: time) { #expect((-93_600...93_600).contains(offset)) }
      }
    }
    #expect(readCount > 100)
  }

  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Dublin",
    "Africa/Casablanca", "Pacific/Apia", "America/Sao_Paulo", "Antarctica/Troll", "Etc/UTC",
  ])
  func `The zones of this computer are as the system knows them`(_ name: String) throws {
    // The database can be missing.
    guard let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)"),
      let known = TimeZone(identifier: name)
    else { return }
    let zone = try #require(ZoneTable(file: Array(data)))
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      // Later rules can be newer here or there.
      let time = Int64.random(in: 0...1_700_000_000, using: &random)
      func offset(_ time: Int64) -> Int {
        known.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
      }
      // Of a time that clocks show twice, it can be the other one.
      guard offset(time) == offset(time - 90_000), offset(time) == offset(time + 90_000) else {
        continue
      }
      #expect(zone.offset(atLocal: time + Int64(offset(time))) == offset(time), "\(time)")
    }
  }
}
