import Traces

/// The tables of sigrok and DSView: comments that begin with `;`, a line with the names, then a row
/// for each sample, or for each change. The names and the times can be missing.
struct SigrokTable {
  /// What a generator writes into the first comment, or into the one with the sample rate.
  private static let kinds: [(CaptureKind, String)] = [
    (.dsviewCSV, "DSView"), (.dsviewCSV, "libsigrok4DSL"), (.sigrokCSV, "libsigrok"),
    (.sigrokCSV, "SentryBench"), (.dsviewCSV, "Sample rate:"), (.sigrokCSV, "Samplerate:"),
  ]

  /// The format of one of the two kinds.
  static func format(_ kind: CaptureKind) -> CaptureFormat {
    CaptureFormat(
      { recognize($0, kind) },
      file: { (file, options, _) throws(CaptureError) in
        try Capture(SigrokTable(file, kind, options).recording, options)
      })
  }

  private static func recognize(_ head: CaptureHead, _ kind: CaptureKind) -> Recognition {
    let lines = head.lines(16)
    if let comment = lines.first, comment.hasPrefix(";") {
      let comments = lines.filter { $0.hasPrefix(";") }
      let found = kinds.first { kind in
        (kind.1.hasSuffix(":") ? comments : [comment]).contains { $0.includes(kind.1) }
      }?.0
      return found == kind ? .certain : found == nil && comment.hasPrefix("; CSV") ? .possible : .no
    }
    // Without comments, only the rows of levels can be recognized.
    guard kind == .sigrokCSV, lines.count > 2, isTable(lines) else { return .no }
    return .possible
  }

  /// Whether lines are rows of levels below a line with names, or below another row. The first
  /// column can have times.
  private static func isTable(_ lines: [String]) -> Bool {
    let first = CSVRow.texts(lines[0])
    let rows = lines.dropFirst(1).prefix(8).map { CSVRow.texts($0) }
    let isTimed = first.first.map { isTime(heading: $0) } ?? false
    guard !first.contains(where: { $0.isEmpty }), !lines[0].hasPrefix("Time [s]") else {
      return false
    }
    return rows.allSatisfy { row in
      guard row.count == first.count || isTimed && row.count == first.count + 1 else {
        return false
      }
      return row.suffix(first.count - (isTimed ? 1 : 0)).allSatisfy { $0 == "0" || $0 == "1" }
        && row.allSatisfy { isNumber($0) }
    }
  }

  /// Whether the heading of a column says that it has times.
  private static func isTime(heading: String) -> Bool {
    let title = heading.lowercased()
    return title.hasPrefix("time") || title.hasSuffix("seconds")
  }

  private(set) var recording: LogicRecording

  private init(
    _ file: CaptureFile, _ kind: CaptureKind, _ options: CaptureOptions
  ) throws(CaptureError) {
    let head = try CaptureHead(file)
    let lines = head.lines(128)
    var comments: [String] = []
    var first = 0
    while first < lines.count, lines[first].hasPrefix(";") || lines[first].isEmpty {
      comments.append(String(lines[first].dropFirst()))
      first += 1
    }
    guard first < lines.count else {
      throw CaptureError(at: .line(first, column: 0), "expected a row with levels, found none")
    }
    let stated = Self.value("Sample", "rate", comments).flatMap { LogicRecording.rate($0) }
    let rate = stated ?? options.sampleRate
    var names = Self.value("Channels", ")", comments).map { CSVRow.texts($0) } ?? []
    var heading: [String]?
    var fields = CSVRow.texts(lines[first])
    if Self.isHeading(fields, lines.dropFirst(first + 1).first) {
      heading = fields
      first += 1
      guard first < lines.count else {
        throw CaptureError(at: .line(first, column: 0), "expected a row with levels, found none")
      }
      fields = CSVRow.texts(lines[first])
    }
    if let heading, fields.count == heading.count + 1,
      heading.first.map({ Self.isTime(heading: $0) }) ?? false
    {
      throw CaptureError(at: .line(first + 1), LogicTable.decimalCommas)
    }
    let time = try Self.time(heading, fields, names.count, rate, line: first + 1)
    let skipped: Int
    if case .row = time { skipped = 0 } else { skipped = 1 }
    let count = fields.count - skipped
    if let heading, heading.count == fields.count {
      let own = Array(heading.dropFirst(skipped))
      // The heading has units or names.
      if names.count != count { names = own }
      if !own.contains(where: { $0 == "logic" }), Set(own).count == own.count { names = own }
    }
    if names.count != count || names.allSatisfy({ $0 == "logic" }) {
      names = (0..<max(0, count)).map { String($0) }
    }
    var channels: [LogicRecording.Channel] = []
    var columns: [Int?] = []
    var analog: [String] = []
    for (index, field) in fields.dropFirst(skipped).enumerated() {
      let isLevel = field == "0" || field == "1"
      if isLevel, channels.count < LogicLevels.channelsMax {
        columns.append(channels.count)
        channels.append(.init(name: names[index], index: index))
      } else {
        columns.append(nil)
        analog.append(names[index])
      }
    }
    guard !channels.isEmpty else {
      throw CaptureError(
        at: .line(first + 1, column: 0),
        "expected a channel with the levels 0 and 1, found none; convert analogue channels to "
          + "logic ones before you export them")
    }
    let table = LogicTable(
      file: file, firstLine: first + 1, time: time, columns: columns,
      end: kind == .dsviewCSV ? Self.end(comments, rate) : nil)
    recording = LogicRecording(
      kind: kind, channels: channels, sampleRate: rate,
      source: Self.source(comments, kind), recorded: nil,
      scan: { (take) throws(CaptureError) in try table.scan(take) })
    if case .seconds = time {} else { recording.usesGivenRate = stated == nil && rate != nil }
    if !analog.isEmpty {
      let list = analog.prefix(8).map { PlainText.of($0, upTo: 40) }.joined(separator: ", ")
      recording.notes.append("columns left out because they have no levels 0 and 1: \(list)")
    }
  }

  /// Decides what the first column is: the time, if there is one column more than there are names,
  /// or if its heading says so.
  private static func time(
    _ heading: [String]?, _ fields: [String], _ names: Int, _ rate: Int64?, line: Int
  ) throws(CaptureError) -> LogicTable.Time {
    let title = heading?.first?.lowercased() ?? ""
    let units: [(String, UInt64)] = [
      ("milliseconds", 1_000), ("microseconds", 1_000_000), ("nanoseconds", 1_000_000_000),
    ]
    let speed = rate.map { UInt64($0) }
    if let unit = units.first(where: { title == $0.0 }) {
      return .ticks(perSecond: unit.1, rate: speed)
    }
    if title.hasPrefix("time(s)") || title == "seconds" || title.hasPrefix("time [s]") {
      return .seconds
    }
    if title == "time" || names > 0 && fields.count == names + 1 {
      if fields[0].contains(".") { return .seconds }
      guard let speed else {
        throw CaptureError(
          at: .line(line),
          "expected the unit of the times, found none; give the sample rate, as in convert "
            + "--samplerate 1MHz, or export again with the comments, which have it")
      }
      // sigrok counts in the largest of these units that is not longer than a sample.
      var perSecond: UInt64 = 1_000
      while perSecond < speed { perSecond *= 1_000 }
      return .ticks(perSecond: perSecond, rate: speed)
    }
    guard let speed else {
      throw CaptureError(
        at: .line(line, column: 0),
        "expected a sample rate or times, found neither; give the rate, as in convert --samplerate "
          + "1MHz, or export again with the comments or with times")
    }
    return .row(rate: speed)
  }

  /// Whether a line has names: not only numbers, or numbers that are not levels above a row of
  /// levels.
  private static func isHeading(_ fields: [String], _ next: String?) -> Bool {
    guard fields.allSatisfy({ isNumber($0) }) else { return true }
    func isLevel(_ field: String) -> Bool { field == "0" || field == "1" }
    guard let next, !fields.dropFirst().allSatisfy(isLevel) else { return false }
    let row = CSVRow.texts(next)
    return row.count == fields.count && row.allSatisfy(isLevel)
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x2B...0x39).contains($0) || $0 | 0x20 == 0x65 }
  }

  /// Returns the text after the colon of the comment that begins with a word and contains another.
  private static func value(_ word: String, _ other: String, _ comments: [String]) -> String? {
    for comment in comments {
      let text = comment.drop { $0 == " " }
      guard text.hasPrefix(word), text.includes(other), let colon = text.firstIndex(of: ":") else {
        continue
      }
      return String(text[text.index(after: colon)...].drop { $0 == " " })
    }
    return nil
  }

  /// Returns the end from the number of samples, which DSView writes and rounds: `2.4 M Samples`.
  private static func end(_ comments: [String], _ rate: Int64?) -> Int64? {
    guard let rate, let text = value("Sample", "count", comments) else { return nil }
    let parts = text.split(separator: " ")
    guard parts.count >= 2, let number = DecimalField.nanoseconds(Array(parts[0].utf8)) else {
      return nil
    }
    let scales: [(String, Int64)] = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)]
    let scale = scales.first { parts[1].uppercased() == $0.0 }?.1 ?? 1
    // The number is in billionths, as if it were seconds.
    let (samples, overflow) = number.multipliedReportingOverflow(by: scale)
    guard !overflow, number >= 0 else { return nil }
    let index = UInt64(samples / 1_000_000_000)
    return LogicRecording.time(ofSample: index, rate: UInt64(rate))
  }

  private static func source(_ comments: [String], _ kind: CaptureKind) -> String {
    guard let comment = comments.first, let by = comment.split(separator: " ").lastIndex(of: "by")
    else { return kind == .dsviewCSV ? "DSView" : "sigrok" }
    let words = comment.split(separator: " ")[(by + 1)...].prefix(2)
    return words.joined(separator: " ").split(separator: ",").first.map { String($0) } ?? "sigrok"
  }
}
