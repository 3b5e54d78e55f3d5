import AVR
import Sketches

/// The fates of the bytes in the classic binary: the core's `read` takes a byte each time it stores
/// the ring's tail, and the caller of `read` shows the purpose.
struct ClassicWatch: ChipWatch {
  private(set) var complaint: String?
  private let ring: UInt16
  private let read: Range<UInt16>
  private let loop: Range<UInt16>
  private let number: Range<UInt16>
  private let purge: Range<UInt16>
  /// Whether the last byte taken by `loop` began a scan, which only another byte can end.
  private var scans = false

  /// The offsets of the tail and the bytes in the core's `HardwareSerial`.
  private static let tailOffset: UInt16 = 26
  private static let bytesOffset: UInt16 = 29

  init(_ symbols: SymbolList) throws {
    ring = try symbols["Serial"].lowerBound
    read = try symbols["_ZN14HardwareSerial4readEv"]
    loop = try symbols["loop"]
    number = try symbols["_Z10readNumberv"]
    purge = try symbols["_Z5purgev"]
  }

  private var tail: UInt16 { ring + Self.tailOffset }

  func prepare(_ chip: inout ATmega328P) { chip.watch(tail..<tail + 1) }

  mutating func reset(into recorder: inout Recorder) { scans = false }

  /// A store is noticed when it is over. An older copy is then run to just before it.
  mutating func run(_ chip: inout ATmega328P, until target: UInt64, into recorder: inout Recorder) {
    let start = chip.cycle
    var behind = chip
    chip.run(until: target)
    var look = chip
    for seen in look.takeEvents() where seen.cycle >= start {
      guard case .stored(let value, at: tail) = seen.event else { continue }
      behind.run(until: seen.cycle)
      guard read.contains(behind.programCounter) else {
        // The start-up code clears the ring.
        if value != 0 { complain("its tail is stored outside read()", behind) }
        continue
      }
      take(behind, &recorder)
    }
  }

  private mutating func take(_ chip: ATmega328P, _ recorder: inout Recorder) {
    let index = UInt16(chip[data: tail] ?? 0)
    let byte = chip[data: ring + Self.bytesOffset + index] ?? 0
    let caller = chip.returnAddress
    let fate: Fate
    var endedScan = false
    if loop.contains(caller) {
      fate = [UInt8(ascii: "X"), UInt8(ascii: "L")].contains(byte) ? .letter : .junk
      endedScan = scans
      scans = byte == UInt8(ascii: "L")
    } else if number.contains(caller) {
      fate =
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        case UInt8(ascii: "."): .terminator
        case 0xFF: .skipped
        default: .swallowed
        }
    } else if purge.contains(caller) {
      fate = .purged
    } else {
      return complain("byte \(byte) is taken by an unknown caller", chip)
    }
    recorder.took(fate, at: chip.instant, endedScan: endedScan)
  }

  private mutating func complain(_ text: String, _ chip: ATmega328P) {
    guard complaint == nil else { return }
    complaint = "\(text), \(chip.instant.seconds) s, PC 0x\(String(chip.programCounter, radix: 16))"
  }
}
