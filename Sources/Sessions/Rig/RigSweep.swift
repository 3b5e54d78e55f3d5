import Engine
import Judging
import Pictures
import Platform
import Sketches
import Traces

/// A value of a rig that a sweep changes: `dead-zone=0..3`, `camera.delay=60ms|120ms`.
package struct RigSweep: Hashable, Sendable {
  package var path: String
  package var values: [String]

  /// The most sessions of a sweep.
  static let countMax = 10_000
  /// The values of a range whose step is not stated.
  private static let usualCount = 5

  /// The path of an option of aim, however it is written.
  private var option: Substring { path.hasPrefix("aim.") ? path.dropFirst(4) : path[...] }

  /// Why a text states no sweep.
  package struct Mistake: Error, CustomStringConvertible {
    package var description: String
  }

  package static let usage =
    "NAME=LOW..HIGH, NAME=LOW..HIGH:STEP or NAME=A|B|C, for example dead-zone=0..3:0.5"

  /// Parses several sweeps, with commas between them.
  package static func parse(_ text: String) throws(Mistake) -> [RigSweep] {
    var sweeps: [RigSweep] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = part.firstIndex(of: "="), equals > part.startIndex else {
        throw Mistake(description: "expected \(usage), found \(PlainText.quoted(String(part)))")
      }
      let path = String(part[..<equals].filter { $0 != " " })
      let list = part[part.index(after: equals)...]
      guard path != "device" else {
        throw Mistake(description: "a sweep has one device; --device chooses it")
      }
      guard !sweeps.contains(where: { $0.option == RigSweep(path: path, values: []).option }) else {
        throw Mistake(description: "\(PlainText.quoted(path)) is swept twice")
      }
      sweeps.append(RigSweep(path: path, values: try values(list, part)))
    }
    let count = sweeps.reduce(1) { min($0 * $1.values.count, countMax + 1) }
    guard count <= countMax else {
      throw Mistake(description: "expected at most \(countMax) sessions in a sweep")
    }
    return sweeps
  }

  private static func values(
    _ list: Substring, _ whole: Substring
  ) throws(Mistake) -> [String] {
    let mistake = Mistake(
      description: "expected \(usage), found \(PlainText.quoted(String(whole)))")
    let dots = list.indices.first { list[$0...].hasPrefix("..") }
    guard let dots else {
      let values = list.split(separator: "|", omittingEmptySubsequences: false).map {
        String($0.drop { $0 == " " })
      }
      guard values.allSatisfy({ !$0.isEmpty }), values.count <= countMax else { throw mistake }
      return values
    }
    var rest = list[list.index(dots, offsetBy: 2)...]
    var step: Double?
    if let colon = rest.firstIndex(of: ":") {
      guard let number = number(rest[rest.index(after: colon)...])?.value, number > 0 else {
        throw mistake
      }
      step = number
      rest = rest[..<colon]
    }
    guard let low = number(list[..<dots]), let high = number(rest), low.value < high.value else {
      throw mistake
    }
    guard low.unit == high.unit || low.unit.isEmpty || high.unit.isEmpty else {
      throw Mistake(
        description: "expected the same unit at both ends of \(PlainText.quoted(String(whole)))")
    }
    let unit = high.unit.isEmpty ? low.unit : high.unit
    let stride = step ?? (high.value - low.value) / Double(usualCount - 1)
    let count = (high.value - low.value) / stride
    guard count.isFinite, count < Double(countMax) else { throw mistake }
    return (0...Int(count + 1e-9)).map { index in
      let value = ((low.value + Double(index) * stride) * 1e6).rounded() / 1e6
      return String(shortest: value) + unit
    }
  }

  /// Parses a number with the unit behind it.
  private static func number(_ text: Substring) -> (value: Double, unit: String)? {
    let text = text.filter { $0 != " " }
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let value = Double(digits), value < 1e9 else { return nil }
    return (value, String(text.dropFirst(digits.count)))
  }
}

/// Runs a rig with all combinations of some values.
struct RigSweepRun: Sendable {
  struct Row: Sendable {
    var values: [String]
    var figures: [(String, Double)] = []
    var powerFailures = 0
    var failedRules = 0
    var failure: Failure?
    var remarks: [String] = []

    func figure(_ name: String) -> Double? { figures.first { $0.0 == name }?.1 }

    init(values: [String]) { self.values = values }

    /// Reads what `json` returns; nil if it is not a row of the sweep.
    init?(_ value: JSONValue, of sweep: [RigSweep]) {
      guard case .object(let members) = value, members.count >= sweep.count + 2 else { return nil }
      values = []
      for (member, part) in zip(members, sweep) {
        guard member.key == part.path, case .string(let text) = member.value else { return nil }
        values.append(text)
      }
      var counts: [String: Int] = [:]
      for member in members.dropFirst(sweep.count) {
        guard case .number(let digits) = member.value, let number = Double(digits),
          number.isFinite
        else { return nil }
        switch member.key {
        case "power_failures", "rules_failed":
          guard let count = Int(exactly: number), count >= 0 else { return nil }
          counts[member.key] = count
        default: figures.append((member.key, number))
        }
      }
      guard let failures = counts["power_failures"], let rules = counts["rules_failed"] else {
        return nil
      }
      powerFailures = failures
      failedRules = rules
    }
  }

  private let rig: RigRun
  private let document: RigDocument
  private let choice: DeviceChoice
  private var sweep: [RigSweep] { rig.sweep }

  /// Less is better in each.
  private static let aims = ["error_95", "overshoot", "reversals_per_minute"]
  private static let columns = [
    "on_target", "mean_error", "error_95", "overshoot", "settling", "swing",
    "commands_per_second", "reversals_per_minute",
  ]

  init(_ run: RigRun, _ document: RigDocument, _ choice: DeviceChoice) {
    rig = run
    self.document = document
    self.choice = choice
  }

  func run() throws {
    var combinations: [[String]] = [[]]
    for part in sweep {
      combinations = combinations.flatMap { row in part.values.map { row + [$0] } }
    }
    if let shard = rig.shard {
      // Which rows are the best is only known of all of them.
      for row in try ran(shard.part(of: combinations)) {
        try Console.write(Self.json(row, of: sweep))
      }
      return
    }
    let picture = try rig.picture.map { path throws(Failure) in try OutputSlot(path) }
    let rows = try rig.rows.map { try read($0, combinations) } ?? ran(combinations)
    let front = Self.front(of: rows)
    if rig.printsJSON {
      for (index, row) in rows.enumerated() {
        try Console.write(Self.json(row, of: sweep, isBest: front.contains(index)))
      }
    } else if rig.picture != "-" {
      try Console.write(text: table(rows, front))
    }
    if let picture {
      let title = rig.scene.split(separator: "/").last.map { String($0) } ?? rig.scene
      try picture.write(
        SweepPicture.svg(
          title: title, rows: rows.map { ($0.values, $0.figure("error_95")) },
          names: sweep.map { $0.path }, values: sweep.map { $0.values },
          figure: "the error that is not exceeded for 95 % of the time, in degrees"))
    }
  }

  private func ran(_ combinations: [[String]]) throws -> [Row] {
    var rows: [Row] = []
    var jobs = rig.jobs ?? Workers.processorCount
    // What tracks otherwise is there once.
    if case .aim = rig.tracker {} else { jobs = 1 }
    let progress = Progress(total: combinations.count, isShown: rig.verbosity != .quiet)
    try Workers.run(combinations, jobs: jobs) {
      row(for: $0)
    } inOrder: { (row) throws(Failure) in
      if let failure = row.failure { throw failure }
      for remark in row.remarks where rig.verbosity != .quiet {
        progress.clear()
        Console.report(remark)
      }
      rows.append(row)
      progress.finish(1)
    }
    progress.clear()
    return rows
  }

  /// Returns the rows in the order of the combinations from a file in which they are in any order.
  private func read(_ path: String, _ combinations: [[String]]) throws -> [Row] {
    let text = try InputFile.contents(of: path, wanting: "the rows of a sweep")
    var rows: [[String]: Row] = [:]
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      let value: JSONValue
      do throws(TraceError) {
        value = try JSONValue.contents(of: Array(line), path: path)
      } catch {
        var error = error
        error.line = index + 1
        throw error
      }
      guard let row = Row(value, of: sweep) else {
        throw Failure(
          .malformed,
          "\(path):\(index + 1):1: error: expected a row of this sweep, as rig --shard prints it")
      }
      if let other = rows[row.values], Self.json(other, of: sweep) != Self.json(row, of: sweep) {
        throw Failure(
          .malformed,
          "\(path):\(index + 1):1: error: another row with \(name(of: row.values)) differs")
      }
      rows[row.values] = row
    }
    return try combinations.map { values in
      guard let row = rows[values] else {
        throw Failure(.malformed, "\(path): error: expected a row with \(name(of: values))")
      }
      return row
    }
  }

  /// A row's values in words.
  private func name(of values: [String]) -> String {
    zip(sweep, values).map { "\($0.path)=\($1)" }.joined(separator: ", ")
  }

  private func row(for values: [String]) -> Row {
    var row = Row(values: values)
    do {
      let settings = zip(sweep, values).map { (path: $0.path, value: $1) }
      var file = try document.rig(rig.settings + settings)
      try rig.change(&file)
      let result = try rig.result(of: file, choice, keepsTrace: false)
      row.figures = result.values
      row.powerFailures = result.tally.powerFailures.count
      row.failedRules = result.report?.failures.count ?? 0
      row.remarks = result.remarks.map { "\(name(of: values)): \($0)" }
    } catch let failure as Failure {
      row.failure = failure
    } catch {
      row.failure = Failure(.malformed, "\(error)")
    }
    return row
  }

  /// The rows that break no rule, and than which no other such row is better in one aim and as good
  /// in the others.
  static func front(of rows: [Row]) -> Set<Int> {
    // A figure that no session has decides nothing. One that only this session lacks makes it no
    // better than any other.
    let aims = Self.aims.filter { aim in rows.contains { $0.figure(aim) != nil } }
    let kept = rows.indices.filter { rows[$0].failedRules == 0 }
    guard !aims.isEmpty else { return [] }
    let points = rows.map { row in aims.map { row.figure($0) ?? .infinity } }
    return Set(
      kept.filter { index in
        !kept.contains { other in
          zip(points[other], points[index]).allSatisfy { $0 <= $1 }
            && zip(points[other], points[index]).contains { $0 < $1 }
        }
      })
  }

  private func table(_ rows: [Row], _ front: Set<Int>) -> String {
    let columns = Self.columns.filter { name in rows.contains { $0.figure(name) != nil } }
    var lines = [sweep.map { $0.path } + columns]
    if rows.contains(where: { $0.powerFailures > 0 }) { lines[0].append("power_failures") }
    if rows.contains(where: { $0.failedRules > 0 }) { lines[0].append("rules_failed") }
    for row in rows {
      var line = row.values
      for name in columns {
        line.append(row.figure(name).map { Self.text($0, name) } ?? "-")
      }
      if lines[0].contains("power_failures") { line.append("\(row.powerFailures)") }
      if lines[0].contains("rules_failed") { line.append("\(row.failedRules)") }
      lines.append(line)
    }
    let text = TextTable.lines(lines, isRight: true).enumerated().map { index, line in
      (index > 0 && front.contains(index - 1) ? "* " : "  ") + line + "\n"
    }
    return text.joined() + Self.legend(rows, front)
  }

  /// What the star means, below the table.
  static func legend(_ rows: [Row], _ front: Set<Int>) -> String {
    let aims = Self.aims.joined(separator: ", ")
    guard rows.contains(where: { $0.failedRules > 0 }) else {
      return "* None is better in \(aims) at once."
    }
    return front.isEmpty
      ? "Every row breaks a rule, so none has a star."
      : "* Breaks no rule, and no other such row is better in \(aims) at once."
  }

  private static func text(_ value: Double, _ name: String) -> String {
    name == "settling" || name == "on_target"
      ? XMLText.number(value, places: 3) : XMLText.number(value, places: 1)
  }

  static func json(_ row: Row, of sweep: [RigSweep], isBest: Bool? = nil) -> String {
    var json = JSONText()
    for (part, value) in zip(sweep, row.values) { json.add(part.path, value) }
    for (name, value) in row.figures { json.add(name, .number(String(shortest: value))) }
    json.add("power_failures", row.powerFailures)
    json.add("rules_failed", row.failedRules)
    if let isBest { json.add("best", .bool(isBest)) }
    return json.text
  }
}
