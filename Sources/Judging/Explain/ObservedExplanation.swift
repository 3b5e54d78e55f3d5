import Devices
package import Sketches
import Traces

/// What can be observed of each byte of a session without a model of its sketch, as text.
package struct ObservedExplanation: Sendable {
  /// The maximum number of outputs in a byte's line and in its JSON object.
  private static let listedMax = (line: 6, object: 64)

  private let session: ObservedSession
  /// The sketch's name; nil if the sketch has a model.
  private let sketch: String?

  /// `sketch`: the name in the trace, if the sketch has no model.
  package init(_ session: ObservedSession, sketch: String?) {
    self.session = session
    self.sketch = sketch
  }

  /// A line for each byte, under a heading, a line of counts, and remarks on what was not observed.
  package var byteLines: [String] {
    var lines = ["  arrived      taken        byte  fate         what followed"]
    if !session.earlier.isEmpty {
      let start = "  before the first byte".padded(to: 48)
      lines.append(start + Self.text(session.earlier, since: nil))
    }
    lines += session.bytes.map { Self.line($0) }
    if let end = session.listEnd {
      lines.append(Explanation.unlistedLine(session.unlisted, from: end))
    }
    lines.append(Explanation.counts(session.fateCounts))
    if session.leftOut > 0 {
      lines.append("\(String(counting: session.leftOut, "more output")) than can be listed")
    }
    return lines + session.remarks(sketch: sketch)
  }

  /// Returns what is open at the end, and that no byte was lost. `facts`: nil if not known.
  package func restLines(_ facts: RecordingFacts?) -> [String] {
    guard session.listEnd == nil, session.fault == nil, let facts else { return [] }
    var lines: [String] = []
    let open = session.bytes.map { $0.entry }.filter { session.isOpen($0) }
    if let first = open.first {
      lines = [
        CommandFindings.openHeading,
        "  "
          + Misunderstanding.line(
            first.arrived, "\(ByteText.quoted(open.map { $0.byte })) still waited to be taken"),
      ]
    }
    let taken = session.fateCounts[.taken] ?? 0
    if facts.showsAll, taken > 0, taken + open.count == session.bytes.count {
      lines.append(
        "No byte was lost: the program took "
          + (taken == 1
            ? "the only one." : "\(taken == session.bytes.count ? "all " : "")\(taken).")
          + " Whether it did what was meant was not judged.")
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  /// A line for each run of bytes that did not reach the sketch, under a heading; none if all did.
  package var lossLines: [String] {
    var runs: [(bytes: [UInt8], first: Ledger.Entry, why: String?)] = []
    var isInRun = false
    for (byte, why) in session.bytes.map({ ($0.entry, $0.why) }) {
      let isLost = byte.fate != .taken && byte.fate != .arrived && !session.isOpen(byte)
      defer { isInRun = isLost }
      guard isLost else { continue }
      if isInRun, let last = runs.last?.first, last.fate == byte.fate,
        last.deafness == byte.deafness, runs.last?.why == why
      {
        runs[runs.count - 1].bytes.append(byte.byte)
      } else {
        runs.append(([byte.byte], byte, why))
      }
    }
    guard !runs.isEmpty else { return [] }
    let rest = session.listEnd.map {
      "  (until \(Explanation.seconds($0)) s; later bytes are not listed)"
    }
    return ["", "What did not reach the sketch:"]
      + runs.map { bytes, first, why in
        "  " + Misunderstanding.line(first.arrived, "\(ByteText.quoted(bytes)) \(words(first))")
          + (why.map { ": \($0)" } ?? "")
      } + (rest.map { [$0] } ?? [])
  }

  /// A JSON object for each byte.
  package var jsonLines: [String] {
    session.bytes.map { Self.json($0) }
      + (session.listEnd.map { [Explanation.unlistedJSON(session.unlisted, from: $0)] } ?? [])
  }

  // MARK: -

  private static func line(_ byte: ObservedSession.Byte) -> String {
    let effect = byte.outputs.isEmpty ? "" : text(byte.outputs, since: byte.begin)
    // What was lost is listed below.
    guard let why = byte.why, byte.begin != nil else { return byte.entry.line(effect) }
    return byte.entry.line(effect.isEmpty ? why : "\(effect); \(why)")
  }

  /// The outputs in words. `begin`: the start of their delay; nil to leave the delay out.
  static func text(_ outputs: [TimedOutput], since begin: Instant?) -> String {
    var parts: [String] = []
    var count = 0
    // An answer is one part, however long it is, and whatever happens while it is sent.
    var answers: [Int: [UInt8]] = [:]
    var last: (part: Int, byte: UInt8, time: Instant)?
    for seen in outputs {
      var part = count
      if case .transmit(let byte) = seen.output {
        if let last, last.part == count - 1 || last.byte != 0x0A,
          last.part == count - 1 || seen.time - last.time <= Divergence.Neighbour.pauseMax
        {
          part = last.part
        }
        last = (part, byte, seen.time)
        if part < listedMax.line { answers[part, default: []].append(byte) }
      }
      guard part == count else { continue }
      if count < listedMax.line { parts.append(seen.output.description) }
      count += 1
    }
    for (part, bytes) in answers {
      parts[part] = "sent \(ByteText.quoted(bytes.prefix(listedMax.object)))"
    }
    if count > parts.count { parts.append("\(count - parts.count) more") }
    let text = parts.joined(separator: ", ")
    guard let begin, let first = outputs.first else { return text }
    return "after \(String(readable: (first.time - begin).roundedToMicrosecond)): \(text)"
  }

  private static func json(_ byte: ObservedSession.Byte) -> String {
    var json = byte.entry.json
    let listed = byte.outputs.prefix(listedMax.object)
    json.add("outputs", .array(listed.map { Event($0.time, $0.output).json }))
    if let why = byte.why { json.add("why", why) }
    if listed.count < byte.outputs.count { json.add("more", byte.outputs.count - listed.count) }
    return json.text
  }

  private func words(_ entry: Ledger.Entry) -> String {
    switch entry.fate {
    case .ringFull: "was lost: 63 bytes were waiting in the ring of Arduino's core"
    case .uartOverrun: "was lost: the program did not read the UART in time"
    case .parity: "was lost: its parity was wrong, and the program discarded it"
    case .booting: "was lost: " + whyNotReceived(entry)
    case .cleared:
      entry.deafness == .portClosed
        ? "was waiting when the sketch closed its port, and was lost"
        : "was waiting when the board restarted, and was lost"
    case .wireLost: "was lost on the wire, before the board"
    case .adapterLost: "was lost in the adapter, before the board"
    default:
      "still waited at the end, "
        + String(readable: (session.end - entry.arrived).roundedToMicrosecond)
        + " after it arrived: the program had not taken it"
    }
  }

  /// Why a byte was lost before the sketch.
  private func whyNotReceived(_ entry: Ledger.Entry) -> String {
    switch entry.deafness {
    case .bootloader: return "the bootloader owned the line"
    case .asleep: return "the chip slept, and its UART was stopped"
    case .notAddressed:
      return "the UART was in multi-processor mode (MPCM0), and the byte was no address"
    case .portClosed:
      let hasTaken = session.bytes.contains {
        $0.entry.fate == .taken && $0.entry.arrived < entry.arrived
      }
      return hasTaken ? "the sketch's port was closed" : "the sketch had not opened its port yet"
    case nil: return "the bootloader owned the line, or the sketch had not opened its port yet"
    }
  }

}

/// Bytes of a session whose sketch has no model, and the outputs that followed the last of them.
package struct ObservedEffect: Hashable, Sendable {
  package private(set) var bytes: [UInt8] = []
  /// When the first byte arrived.
  package private(set) var time: Instant
  /// What followed, in words; empty if nothing did.
  package private(set) var text = ""
  /// From the arrival of the last byte with outputs to the first of them; nil if there is none.
  package private(set) var delay: Interval?
  /// Which of the bytes were lost, in words; nil if none were.
  package private(set) var trouble: String?
  /// What the program did while the effect was late, or a byte was lost; nil if that is not known.
  package private(set) var why: String?

  /// Divides bytes into the commands of a profile, and others after each with outputs.
  package static func find(
    in session: ObservedSession, profile: Profile? = nil
  ) -> [ObservedEffect] {
    var found: [ObservedEffect] = []
    var recognizer = profile.map { CommandRecognizer($0) }
    var lost: [Ledger.Entry] = []
    var outputs: [TimedOutput] = []
    var isOpen = false
    var previous = Instant.zero
    for byte in session.bytes {
      let entry = byte.entry
      let wasOpen = recognizer?.isOpen ?? false
      if let pause = recognizer?.pause, entry.arrived - previous >= pause {
        _ = recognizer?.takePause()
        isOpen = false
      }
      if recognizer?.breaksOff(entry.byte) == true { isOpen = false }
      let meaning = recognizer?.take(entry.byte) ?? .unknown
      // A command does not continue the other bytes before it.
      if !wasOpen, meaning != .unknown, meaning != .space { isOpen = false }
      if !isOpen {
        found.append(ObservedEffect(time: entry.arrived))
        (lost, outputs) = ([], [])
      }
      isOpen = true
      previous = entry.arrived
      let last = found.count - 1
      found[last].bytes.append(entry.byte)
      found[last].why = byte.why ?? found[last].why
      if byte.begin == nil, !session.isOpen(entry) { lost.append(entry) }
      if !lost.isEmpty {
        let isWaiting = lost.allSatisfy { $0.fate == .waiting }
        found[last].trouble =
          ByteText.quoted(lost.map { $0.byte })
          + (isWaiting ? " still waited at the end" : " did not reach the sketch")
      }
      switch meaning {
      case .open: break
      case .command, .refused: isOpen = false
      case .space, .unknown: isOpen = byte.outputs.isEmpty
      }
      guard let first = byte.outputs.first else { continue }
      outputs += byte.outputs
      found[last].text = ObservedExplanation.text(outputs, since: nil)
      found[last].delay = first.time - entry.arrived
    }
    return found
  }

  private init(time: Instant) { self.time = time }
}
