package import Captures
import Judging
import Platform
import Sketches
package import Traces

/// A recording by another tool, opened from its files.
package struct OpenedCapture {
  let capture: Capture
  private let paths: [String]

  /// Whether the recording needed the sample rate that the user gave.
  package var usesGivenRate: Bool { capture.summary.usesGivenRate }

  /// Opens and examines a recording; `-` is standard input. `zone` is the time zone of its dates.
  package init(
    _ paths: [String], _ options: CaptureOptions, zone: RecordedZone? = nil
  ) throws(TraceError) {
    self.paths = paths
    let files = try paths.map { (path) throws(TraceError) in
      try CaptureFile(path: path, isKindKnown: options.kind != nil)
    }
    var options = options
    do throws(CaptureError) {
      if let zone {
        // The offset depends on the date, which is in the recording.
        options.timeZone = 0
        let first = try Capture(files, options, inflate: Zlib.inflate)
        guard let local = first.header.recorded else {
          capture = first
          return
        }
        guard let offset = zone.offset(at: local) else {
          throw CaptureError(
            .usage,
            "the time zone's offset is not known at \(local): give it, such as +02:00")
        }
        options.timeZone = offset
      }
      capture = try Capture(files, options, inflate: Zlib.inflate)
    } catch {
      throw TraceError(error, paths: paths)
    }
  }

  /// Prints the contents of the recording.
  package func list(asJSON printsJSON: Bool, _ verbosity: Verbosity) throws(Failure) {
    let listing = CaptureListing(capture.summary)
    for line in printsJSON ? [listing.json] : listing.lines { try Console.write(line) }
    if !printsJSON { verbosity.report(capture.summary.notes, about: paths[0]) }
  }

  /// Writes the recording as a trace, and reports what was found and assumed.
  package func convert(to output: String, _ verbosity: Verbosity) throws {
    verbosity.report(capture.sentences(), about: paths[0])
    var file = try OutputFile(trace: output)
    let objection = try write(to: &file)
    try file.finish()
    if let objection {
      verbosity.report([objection + "; --firmware names another sketch"], about: paths[0])
    }
  }

  // Not inlined, so that the many events after the first command that fits cost nothing.
  @inline(never)
  private static func take(_ event: Event, into fit: inout SketchFit) {
    if case .receive(let bytes) = event.kind { fit.take(bytes, at: event.time) }
  }

  /// Returns whether no command fits the assumed sketch, as a sentence.
  private func write(to file: inout OutputFile) throws -> String? {
    var line: [UInt8] = []
    line.appendLine(capture.header)
    try file.write(line)
    var failure: Failure?
    var fit = SketchFit(capture.header.firmware(unless: nil))
    do throws(CaptureError) {
      try capture.read { (event) throws(CaptureError) in
        if !fit.hasFit { Self.take(event, into: &fit) }
        do throws(Failure) {
          try file.writeLine(event)
        } catch {
          failure = error
          throw CaptureError(.inputOutput, error.message)
        }
      }
    } catch {
      throw failure ?? Failure(TraceError(error, paths: paths))
    }
    return fit.objection
  }
}

/// The contents of a recording, for `convert --list`.
package struct CaptureListing {
  private let summary: CaptureSummary

  package init(_ summary: CaptureSummary) { self.summary = summary }

  /// The kind and the length, then a table of the channels.
  package var lines: [String] {
    let rows =
      [["channel", "role", "baud", "polarity", "found"]]
      + summary.channels.map { channel in
        [
          PlainText.of(channel.name, upTo: PlainText.quotedMax), channel.role ?? "-",
          channel.baud.map { "\($0)" } ?? "-", channel.isInverted ? "inverted" : "normal",
          channel.counts.isEmpty ? "-" : channel.counts.joined(separator: ", "),
        ]
      }
    return [summary.title] + TextTable.lines(rows)
  }

  package var json: String {
    func number(_ interval: Interval?) -> JSONValue {
      interval.map { .number(String(shortest: $0)) } ?? .null
    }
    let channels = summary.channels.map { channel in
      JSONValue.object([
        .init("name", .string(channel.name)), .init("role", .text(channel.role)),
        .init("baud", .whole(channel.baud)), .init("inverted", .bool(channel.isInverted)),
        .init("counts", .array(channel.counts.map { .string($0) })),
      ])
    }
    return JSONValue.object([
      .init("kind", .string(summary.kind.rawValue)), .init("duration", number(summary.duration)),
      .init("resolution", number(summary.resolution)),
      .init("uncertainty", number(summary.uncertainty)),
      .init("framing_errors", .whole(summary.framingErrors)),
      .init("glitches", .whole(summary.glitches)), .init("holes", .whole(summary.holes)),
      .init("channels", .array(channels)),
      .init("notes", .array(summary.notes.map { .string($0) })),
    ]).text
  }
}

/// The time zone of the dates in a recording.
package enum RecordedZone: Hashable, Sendable {
  /// Seconds to the east of UTC.
  case offset(Int)
  /// A zone in the system's database.
  case named(ZoneTable)

  private static let folder = "/usr/share/zoneinfo"

  /// Parses `UTC`, `+02:00` or a name. Nil if this computer has no such zone.
  package init?(_ text: String) {
    if text == "UTC" || text == "Z" {
      self = .offset(0)
      return
    }
    if let sign = text.first, sign == "+" || sign == "-" {
      guard let offset = Self.seconds(text.dropFirst()) else { return nil }
      self = .offset(sign == "-" ? -offset : offset)
      return
    }
    // The name becomes part of a path, so it must not lead out of the folder.
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+".contains($0)) }
    }
    guard isPlain, text.utf8.count <= 64,
      let file = try? InputFile.contents(of: "\(Self.folder)/\(text)", wanting: "a time zone"),
      let zone = ZoneTable(file: file)
    else { return nil }
    self = .named(zone)
  }

  /// Parses `02:00`, less than a day.
  private static func seconds(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // Swift's own parsing also accepts a sign.
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy { ("0"..."9").contains($0) } }),
      let hours = UInt8(parts[0]), let minutes = UInt8(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return Int(hours) * 3_600 + Int(minutes) * 60
  }

  /// Returns the zone's offset at a local time, in seconds to the east of UTC. `local` must begin
  /// like `2026-11-23T01:30:00`; the result is nil for anything else, and if it is not known.
  package func offset(at local: String) -> Int? {
    switch self {
    case .offset(let seconds): return seconds
    case .named(let zone):
      let fields = local.prefix(19).split { "-T:".contains($0) }.map { Int64($0) ?? -1 }
      guard fields.count == 6, (1...12).contains(fields[1]), fields.allSatisfy({ $0 >= 0 }) else {
        return nil
      }
      let days = CivilTime.days(fields[0], fields[1], fields[2])
      return zone.offset(
        atLocal: days * 86_400 + fields[3] * 3_600 + fields[4] * 60 + fields[5])
    }
  }
}
