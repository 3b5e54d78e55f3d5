import AVR
import ChipDevice
import Engine
import Platform
import Traces

extension AVRProgram {
  /// Returns what is known of the source of the program at `path`, or of `symbols`, an .elf with
  /// the same code. Throws if that is nothing.
  func sourceMap(at path: String, symbols: String?) throws(Failure) -> SourceMap {
    var map = sourceMap
    if let symbols {
      let other = try ChipPrograms(symbols).read().program
      if let address = firstDifference(from: other) {
        throw Failure(
          .malformed,
          "\(symbols): error: is not the .elf of \(path): the first byte that differs is at "
            + "0x\(String(address, radix: 16, uppercase: true))")
      }
      map = other.sourceMap
    }
    switch map.origin {
    case .dwarf, .symbols: return map
    case .stabs:
      throw Failure(
        .malformed,
        "\(symbols ?? path): error: its debug information is in the format stabs; compile and "
          + "link with -gdwarf-2 in place of -g")
    case .nothing:
      throw Failure(
        .malformed,
        "\(symbols ?? path): error: has no symbols; give the .elf that the compiler wrote, or add "
          + "it with --symbols")
    }
  }
}

extension TraceReader {
  /// The most events of a session that is debugged.
  static var debuggedMax: Int { 1_000_000 }

  /// Reads all events.
  mutating func readEvents() throws(Failure) -> [Event] {
    var events: [Event] = []
    while let event = try Failure.ofTrace({ () throws(TraceError) in try next() }) {
      guard events.count < Self.debuggedMax else {
        throw Failure(
          .usage,
          "\(path): error: expected at most \(Self.debuggedMax) events; cut out a part with "
            + "convert --since and --until")
      }
      events.append(event)
    }
    return events
  }
}
