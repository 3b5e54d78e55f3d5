import Judging
package import Sketches
import Traces

/// The part of a report that shows one session.
struct ReportSection {
  /// The maximum number of commands in the table.
  static let commandsMax = 250

  let entry: ReportEntry
  /// The section's place in the page, from 1.
  let number: Int
  /// Whether it is the page's only section.
  let isAlone: Bool
  /// How many bytes the picture can show one by one; nil for a picture of fixed size.
  let bytesMax: Int?
  let attaches: Bool
  let compress: ReportPage.Compression

  var html: HTML {
    guard let report = entry.report else { return section(text) }
    return section(
      meant(report) + picture(report) + text + divergence + commands(report) + effects(report)
        + bytes(report) + guarded(report) + facts(report) + attachment(report))
  }

  /// The section without its pictures and tables.
  var short: HTML {
    section(
      text + "<p class=\"r-remark\">This page has no room for the rest of this session.</p>\n")
  }

  private func section(_ rest: HTML) -> HTML {
    """
    <section id="s\(number)" class="r-session" aria-labelledby="h\(number)">
    \(head)\(rest)</section>

    """
  }

  /// A heading of a level below the session's own.
  func heading(_ text: String) -> HTML { isAlone ? "<h2>\(text)</h2>\n" : "<h3>\(text)</h3>\n" }

  private var head: HTML {
    let verdict = entry.verdict
    var head: HTML = "<header>\n"
    head +=
      isAlone
      ? "<p class=\"r-kind\">Session report</p>\n<h1 id=\"h\(number)\">\(entry.title)</h1>\n"
      : "<h2 id=\"h\(number)\">\(entry.title)</h2>\n"
    if !isAlone, entry.title != entry.name { head += "<p class=\"r-kind\">\(entry.name)</p>\n" }
    let finding = finding
    let first = headline
    head += """
      <p class="r-verdict r-\(first.tone.rawValue)"><span class="r-word">\(first.word)</span> \
      \(first.sentence)</p>

      """
    // That nothing could be compared is no news about the session.
    var sentences =
      (first == verdict || verdict.comparesNothing ? [] : [verdict.sentence]) + verdict.details
    if let report = entry.report { sentences.append(counts(report, namesTroubled: finding == nil)) }
    if !sentences.isEmpty {
      head += "<p class=\"r-lead\">\(sentences.joined(separator: " "))</p>\n"
    }
    for remark in entry.report?.remarks ?? [] { head += "<p class=\"r-remark\">\(remark)</p>\n" }
    return head + "</header>\n"
  }

  /// The full text of what failed, with lines of the trace.
  private var text: HTML {
    entry.verdict.text.isEmpty
      ? "" : "<pre class=\"r-text\" tabindex=\"0\">\(lines: entry.verdict.text)</pre>\n"
  }

  /// The first thing to know.
  private var headline: ReportVerdict {
    finding ?? (entry.verdict.comparesNothing ? faultless : nil) ?? entry.verdict
  }

  /// That nothing went wrong; nil if something did, or if the recording does not show everything.
  private var faultless: ReportVerdict? {
    guard let report = entry.report, report.showsAll, let findings = report.findings,
      let text = findings.faultless
    else { return nil }
    return ReportVerdict(
      .good, "no fault found", "\(ReportVerdict.sentence(text)) \(findings.basis)")
  }

  // MARK: What was meant

  private func meant(_ report: SessionReport) -> HTML {
    let found = report.findings?.misunderstandings ?? []
    guard !found.isEmpty else { return "" }
    var html =
      heading("What the sender probably meant and did not get") + "<ul class=\"r-meant\">\n"
    for item in found.prefix(Misunderstanding.listedMax) {
      html += "<li>\(moment(item.time, Self.seconds(item.time))) s: \(item.text)</li>\n"
    }
    let rest = found.count - Misunderstanding.listedMax
    if rest > 0 { html += "<li>and \(rest) more</li>\n" }
    return html + "</ul>\n"
  }

  /// What went wrong in the session, if that is the first thing to know: that the recording does
  /// not show it, or commands that did not do what was meant. A trace can agree with a device
  /// although they did not. Nil if nothing went wrong, or if the verdict is bad anyway.
  private var finding: ReportVerdict? {
    guard let report = entry.report else { return nil }
    if let fault = report.fault { return fault }
    guard entry.verdict.tone != .bad else { return nil }
    if let objection = report.objection {
      return ReportVerdict(.bad, "unknown commands", ReportVerdict.sentence(objection))
    }
    guard let text = Self.text(of: report.commands) else { return nil }
    return ReportVerdict(.bad, "went wrong", ReportVerdict.sentence(text))
  }

  /// How many commands did not do what was meant or, if all did, what a line end did; nil if
  /// nothing went wrong.
  private static func text(of all: [ReportedCommand]) -> String? {
    let commands = all.filter { !$0.isLineEnd }
    let troubled = commands.count { $0.trouble != nil }
    if troubled == 0 { return all.lazy.compactMap { $0.trouble }.first }
    return commands.count == 1
      ? "the only command did not do what was meant"
      : "\(troubled) of \(commands.count) commands did not do what was meant"
  }

  /// A sentence about how many bytes and commands did what they were sent for. `namesTroubled`:
  /// whether it names those that did not, because nothing else does.
  private func counts(_ report: SessionReport, namesTroubled: Bool) -> String {
    let (bytes, commands) = (report.byteCount, report.commands.count)
    guard bytes > 0 else { return "Nothing was sent." }
    if report.observed?.isRecorded == true {
      return "\(String(counting: bytes, "byte")) arrived; what the sketch took is unknown."
    }
    let taken = report.fateCounts.reduce(0) { $0 + ($1.key.isTaken ? $1.value : 0) }
    let unknown = report.commands.count { $0.trouble == nil && !$0.isKnown }
    let all =
      if bytes == 1 {
        taken == 1 ? "The only byte was taken" : "The only byte was not taken"
      } else if taken == 0 {
        "None of the \(bytes) bytes was taken"
      } else {
        taken == bytes
          ? "All of the \(bytes) bytes were taken" : "\(taken) of \(bytes) bytes were taken"
      }
    guard commands > 0, taken > 0 else { return all + "." }
    if let text = Self.text(of: report.commands) {
      return namesTroubled ? "\(all); \(text)." : "\(all)."
    }
    if unknown > 0 {
      return "\(all); \(unknown) of \(String(counting: commands, "command")) "
        + "\(unknown == 1 ? "is" : "are") not known to \(report.firmware.rawValue)."
    }
    let open = report.commands.count { $0.openEnd != nil }
    if open > 0 {
      let rest = open == commands ? "" : "; the rest was understood"
      return "\(all). Where the trace ends, \(String(counting: open, "command")) "
        + "\(open == 1 ? "is" : "are") open, which is no fault\(rest)."
    }
    let understood =
      commands == 1
      ? "the only command was understood" : "all of the \(commands) commands were understood"
    return taken == bytes ? "\(all), and \(understood)." : "\(all), but \(understood)."
  }

  // MARK: Pictures

  private func picture(_ report: SessionReport) -> HTML {
    heading("Picture") + figure(report.session, named: "p\(number)", label: "The session")
      + (report.session.tracking.map { face($0) } ?? "")
  }

  private func face(_ tracking: PlottedTracking) -> HTML {
    let picture = TrackingPicture.element(of: tracking, named: "f\(number)")
    return """
      <figure class="r-picture tracking" aria-label="The face">
      <div class="r-scroll" tabindex="0" role="region" aria-label="The face, as a picture">
      \(HTML(trusted: picture))</div>
      <figcaption>The face that the turret followed, and how far its shaft was from it.</figcaption>
      </figure>

      """
  }

  private func figure(_ session: PlottedSession, named name: String, label: String) -> HTML {
    var figure: HTML = """
      <figure class="r-picture" data-data="d\(name)" data-group="\(number)" aria-label="\(label)">
      <div class="r-scroll" tabindex="0" role="region" aria-label="\(label), as a picture">
      \(HTML(trusted: SessionPicture.element(of: session.thinned(to: 400), named: name)))</div>
      <figcaption>\(session.subtitle)</figcaption>
      </figure>

      """
    if let bytesMax, session.isEnlargeable {
      if let data = compress(PictureData.json(of: session, bytesMax: bytesMax)) {
        figure += """
          <script type="text/plain" id="d\(name)">\(Base64.text(of: data))</script>

          """
      }
      if session.bytes.count > bytesMax {
        figure += """
          <p class="r-remark">Enlarged, the picture shows the first \(bytesMax) of \
          \(session.bytes.count) bytes.</p>

          """
      }
    }
    return figure
  }

  // MARK: What the trace expects

  private var divergence: HTML {
    guard let divergence = entry.verdict.divergence else { return "" }
    let rows = DivergenceTable(divergence).lines.map { line -> HTML in
      """
      <tr\(line.isMarked ? " class=\"r-marked\"" : "" as HTML)>\
      <td>\(line.number.map { "\($0)" } ?? "")</td>\
      <td><code>\(line.expected)</code></td><td><code>\(line.found)</code></td></tr>

      """
    }
    return heading("Where trace and device differ") + """
      <p>The first difference: \(divergence.message). In the picture: \
      \(moment(divergence.time, Divergence.seconds(divergence.time))).</p>

      """
      + .table(
        "Events around the difference", class: "r-events",
        caption: "Events around the difference, line \(divergence.line) of the trace",
        ["Line", "The trace expects", "The device did"], rows)
  }

  // MARK: Commands

  private func commands(_ report: SessionReport) -> HTML {
    let all = report.commands
    guard !all.isEmpty else { return "" }
    let listed = listed(all)
    let hasGuarded = report.guarded != nil
    let lineEnds = all.count { $0.isLineEnd }
    let caption =
      listed.count == all.count
      ? String(counting: all.count - lineEnds, "command")
        + (lineEnds > 0 ? ", \(String(counting: lineEnds, "line end"))" : "")
      : "\(listed.count) of \(all.count) commands: those that did not do what was meant, and the "
        + "first of the others"
    let rows = listed.map { command -> HTML in
      """
      <tr\(command.trouble == nil ? "" : " class=\"r-trouble\"" as HTML)>\
      <td>\(moment(command.time, Self.seconds(command.time)))</td>\
      <td><code>\(command.bytes)</code></td><td>\(command.meaning)</td>\
      <td>\(command.effect)\
      \((command.trouble ?? command.openEnd).map { "<br><small>\($0)</small>" } ?? "" as HTML)\
      </td>\
      <td class="r-number">\(command.delay.map(Self.readable) ?? "–")</td>\
      \(hasGuarded ? "<td>\(command.guarded ?? "–")</td>" : "" as HTML)</tr>

      """
    }
    return heading("Commands")
      + .table(
        "Commands", class: "r-commands", caption: caption,
        ["Arrived, s", "Sent", "The sender meant", "The turret", "After its last byte"]
          + (hasGuarded ? ["On guarded"] : []), rows)
  }

  /// Returns the commands that the table lists: all if they fit; otherwise the first ones that did
  /// not do what was meant, for up to three quarters of the table, and the first of the rest.
  private func listed(_ all: [ReportedCommand]) -> [ReportedCommand] {
    guard all.count > Self.commandsMax else { return all }
    let troubled = all.indices.filter { all[$0].trouble != nil }.prefix(Self.commandsMax * 3 / 4)
    var listed = Set(troubled)
    for index in all.indices where listed.count < Self.commandsMax { listed.insert(index) }
    return listed.sorted().map { all[$0] }
  }

  // MARK: Bytes

  private func bytes(_ report: SessionReport) -> HTML {
    let counts = report.fateCounts
    let others = report.guarded?.fateCounts
    guard report.byteCount > 0 else { return "" }
    let fates = Fate.allCases.filter { counts[$0] ?? others?[$0] != nil }
    let rows = fates.map { fate -> HTML in
      """
      <tr data-fate="\(fate.rawValue)"><th scope="row" class="\(fate.styleClass)">\
      \(fate.rawValue)</th><td>\(fate.meaning)</td>\
      <td class="r-number">\(counts[fate] ?? 0)</td>\
      \(others.map { "<td class=\"r-number\">\($0[fate] ?? 0)</td>" } ?? "" as HTML)</tr>

      """
    }
    return heading("What became of the bytes")
      + .table(
        "Fates of the bytes", class: "r-fates", caption: String(counting: report.byteCount, "byte"),
        ["Fate", "Meaning", "Bytes"] + (others == nil ? [] : ["On guarded"]), rows)
  }

  // MARK: Guarded

  private func guarded(_ report: SessionReport) -> HTML {
    guard let guarded = report.guarded else { return "" }
    return heading("The same session on guarded") + """
      <p>The same bytes at the same times, taken by the guarded sketch.</p>
      \(figure(guarded.session, named: "g\(number)", label: "The session on guarded"))
      """
  }

  // MARK: About

  private func facts(_ report: SessionReport) -> HTML {
    var html = heading("How this report was made") + "<dl class=\"r-facts\">\n"
    var facts = report.facts
    if entry.verdict.comparesNothing, headline != entry.verdict {
      facts.append((name: "Comparison", value: entry.verdict.sentence))
    }
    for fact in facts { html += "<div><dt>\(fact.name)</dt><dd>\(fact.value)</dd></div>\n" }
    return html + "</dl>\n"
  }

  private func attachment(_ report: SessionReport) -> HTML {
    guard let attachment = report.attachment else { return "" }
    var html = heading("The trace")
    guard attaches else {
      return html + "<p>The trace is left out: it would make this page too large.</p>\n"
    }
    let data = Base64.text(of: attachment.gzip)
    html += """
      <p><a class="r-download" download="\(attachment.name).gz" data-name="\(attachment.name)" \
      href="data:application/gzip;base64,\(data)">Save \(attachment.name)</a> \
      (without scripts: compressed, as \(attachment.name).gz)</p>

      """
    return html
  }

  // MARK: -

  /// Returns a time as a link. If scripts run, it moves the picture to that time.
  func moment(_ instant: Instant, _ text: String) -> HTML {
    let microseconds = "\(instant.nanoseconds / 1_000)"
    return "<a class=\"r-time\" href=\"#s\(number)\" data-at=\"\(microseconds)\">\(text)</a>"
  }

  /// Rounded to a microsecond, as outputs are stamped.
  static func readable(_ delay: Interval) -> String {
    String(readable: .microseconds((delay.nanoseconds + 500) / 1_000))
  }

  static func seconds(_ instant: Instant) -> String {
    String(canonical: instant.roundedUpToMicrosecond)
  }
}

extension ReportSection {
  /// The table of what followed the bytes, for a sketch that no model behaves as.
  func effects(_ report: SessionReport) -> HTML {
    let profile = report.profile
    let all = report.observed.map { ObservedEffect.find(in: $0, profile: profile) } ?? []
    guard !all.isEmpty else { return "" }
    let division =
      profile == nil ? "divided where outputs followed" : "divided into the profile's commands"
    let caption =
      all.count > Self.commandsMax
      ? "The first \(Self.commandsMax) of \(all.count) groups of bytes, \(division)"
      : "The bytes, \(division)"
    let rows = all.prefix(Self.commandsMax).map { effect -> HTML in
      let quoted = ByteText.quoted(effect.bytes.prefix(Self.bytesShown))
      let bytes = String(quoted.dropFirst().dropLast())
      let rest = effect.bytes.count - Self.bytesShown
      return """
        <tr\(effect.trouble == nil ? "" : " class=\"r-trouble\"" as HTML)>\
        <td>\(moment(effect.time, Self.seconds(effect.time)))</td>\
        <td><code>\(bytes)</code>\(rest > 0 ? " and \(rest) more" : "")</td>\
        <td>\(effect.text.isEmpty ? "nothing" : effect.text)\
        \(effect.trouble.map { "<br><small>\($0)</small>" } ?? "" as HTML)\
        \(effect.why.map { "<br><small>\($0)</small>" } ?? "" as HTML)</td>\
        <td class="r-number">\(effect.delay.map(Self.readable) ?? "–")</td></tr>

        """
    }
    return heading("What followed the bytes")
      + .table(
        "What followed the bytes", class: "r-commands", caption: caption,
        ["Arrived, s", "Sent", "What followed", "After the last byte"], rows)
  }

  /// The size of the longest group that is shown in full, in bytes.
  private static let bytesShown = 60
}

extension Fate {
  /// What became of a byte with this fate, in words.
  package var meaning: String {
    switch self {
    case .letter: "taken as a command"
    case .digit: "part of a number"
    case .terminator: "the full stop that ended a number"
    case .swallowed: "ended a number in place of the full stop, and was lost"
    case .skipped: "skipped inside a number"
    case .junk: "not a command"
    case .purged: "discarded: after an unknown byte the sketch empties its buffer"
    case .abandoned: "part of a number that was not used"
    case .ringFull: "lost: 63 bytes were waiting already"
    case .uartOverrun: "lost: the sketch kept interrupts off too long"
    case .parity: "lost: its parity was wrong"
    case .booting: "lost: the bootloader owned the line, or the sketch's port was closed"
    case .cleared: "lost: it was waiting when the board restarted"
    case .waiting: "not taken by the end"
    case .wireLost: "lost on the wire, before the board"
    case .adapterLost: "lost in the adapter, before the board"
    case .taken: "taken by the program"
    case .arrived: "arrived; nothing shows whether the program took it"
    }
  }
}
