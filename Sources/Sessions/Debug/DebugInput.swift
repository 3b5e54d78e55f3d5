import AVR
import ChipDevice
import Engine
import Judging
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

extension DeviceChoice {
  /// Returns, as a note, where what the program does first differs from what a trace shows: it may
  /// be that of another program. Nil if they agree, or if the trace shows inputs only.
  func difference(
    from events: [Event], _ header: Header, at path: String, on source: AVRSource
  ) throws -> String? {
    guard events.contains(where: { $0.output != nil }) else { return nil }
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    var reader = try TraceReader(text: text, path: path)
    var verification = Verification()
    verification.firmware = firmware
    let verdict = try verification.verify(&reader, on: source)
    guard case .diverges(let found) = verdict.outcome else { return nil }
    return "the program does something else than the trace shows, from \(found.time.text) on: "
      + "\(found.message). What follows is about the program's own session"
  }
}
