import Sketches
import Traces

/// The header and the summary of a logic analyser's recording.
struct LogicReport {
  /// A verification compares the widths of pulses within 3 us, so they have to be sampled at 1 MHz.
  private static let grainOfPulsesMax: Int64 = 1_000
  /// Two speeds that differ by no more than this count as equal.
  private static let deviationMax = 0.02
  /// Beyond this, a receiver at one speed does not understand a sender at the other.
  private static let deviationOfSpeeds = 0.055

  let recording: LogicRecording
  let examined: LogicExamination
  let roles: LogicRoles
  let plan: LogicPlan
  let session: LogicSession
  let end: LogicRecording.End
  /// Whether the bytes to the board are whole only if their line is read the other way round.
  let isOtherPolarity: Bool

  private var options: CaptureOptions { plan.options }

  private var length: Interval {
    let last = max(session.rx?.end ?? 0, session.tx?.end ?? 0)
    return Interval(nanoseconds: end.isKnown ? end.time : max(end.time, last))
  }

  /// Whether the pulses are sampled finely enough to be compared.
  private var comparesPulses: Bool { plan.grain <= Self.grainOfPulsesMax }

  var header: Header {
    var expects: Set<Output.Kind> = []
    if session.tx?.byteCount ?? 0 > 0 { expects.insert(.transmit) }
    let hasPulses = session.pulseCount > 0
    if hasPulses, comparesPulses { expects.insert(.pulse) }
    // Without the key, every kind that occurs would be compared.
    let isStated = !expects.isEmpty || hasPulses
    return plan.options.header(
      clock: .device, length: length,
      sent: session.rx.flatMap { $0.byteCount > 0 ? Interval(nanoseconds: $0.end) : nil },
      source: recording.source, recorded: recording.recorded, expects: isStated ? expects : nil)
  }

  /// Fails if nothing was found that a trace could contain.
  func check(_ options: CaptureOptions) throws(CaptureError) {
    guard !options.isListing, session.pulseCount == 0, byteCount == 0 else { return }
    if options.acceptsNoByte, !examined.channels.isEmpty { return }
    guard !examined.channels.isEmpty else {
      throw CaptureError((["expected a channel"] + recording.notes).joined(separator: "; "))
    }
    throw CaptureError(
      (["no byte was found: \(whyNoByte)"] + recording.notes).joined(separator: "; "))
  }

  private var byteCount: Int { (session.rx?.byteCount ?? 0) + (session.tx?.byteCount ?? 0) }

  private var whyNoByte: String {
    let lines = [roles.rx, roles.tx].compactMap { $0 }
    if lines.isEmpty {
      let edges = examined.channels.filter { !$0.isFlat }
      if edges.isEmpty { return "no channel ever changes" }
      let names = edges.map { "\(PlainText.of($0.channel.name, upTo: 40)): \($0.edges)" }
      return "no channel has the edges of bytes (\(names.joined(separator: ", ")) edges); "
        + "choose a channel with --rx-channel"
    }
    let flat = lines.filter { examined.channels[$0].isFlat }
    if flat.count == lines.count {
      let names = flat.map { PlainText.of(examined.channels[$0].channel.name, upTo: 40) }
      return "\(names.joined(separator: " and ")) never changes; check the wire, or choose another "
        + "channel with --rx-channel"
    }
    if options.since != nil || options.until != nil { return "none is in the chosen part" }
    if [session.rx, session.tx].contains(where: { $0?.endsInByte ?? false }) {
      return "the recording ends within a byte"
    }
    return "the line's edges make no byte at \(options.baud) baud; it has another speed, or it "
      + "carries something else"
  }

  // MARK: Summary

  func summary(_ options: CaptureOptions) -> CaptureSummary {
    var summary = CaptureSummary(kind: recording.kind)
    summary.usesGivenRate = recording.usesGivenRate
    summary.duration = length
    if let rate = examined.sampleRate {
      summary.resolution = Interval(nanoseconds: (1_000_000_000 + rate - 1) / rate)
    }
    summary.channels = examined.channels.indices.map { channel($0) }
    for line in [session.rx, session.tx] {
      guard let line else { continue }
      summary.framingErrors += line.framingErrors
      summary.glitches += line.glitches
      summary.holes += line.holeCount
    }
    summary.glitches += session.pulses.glitches
    summary.answersAsGuarded = options.firmware == nil && session.tx?.answers.areFound ?? false
    summary.notes = recording.notes + end.notes + roles.doubts + notes
    summary.evidence = evidence
    return summary
  }

  private var evidence: RecordingEvidence {
    var evidence = RecordingEvidence()
    if byteCount == 0 { evidence.noByte = whyNoByte }
    if let rx = plan.rx {
      evidence.isReadInverted = rx.isInverted
      evidence.isOtherPolarity = isOtherPolarity
      if let speed = examined.channels[rx.bit].speed,
        abs(speed.deviation(from: rx.baud)) > Self.deviationOfSpeeds, speed.isSure || speed.isUsual
      {
        evidence.speed = .init(read: rx.baud, measured: speed.nearest, isSure: speed.isSure)
      }
    }
    if let rx = roles.rx, let tx = roles.tx {
      evidence.exchange = "--rx-channel \(word(for: tx)) --tx-channel \(word(for: rx))"
    }
    return evidence
  }

  /// Returns a channel's name if a shell takes it as it is, otherwise its index.
  private func word(for bit: Int) -> String {
    let channel = examined.channels[bit].channel
    let isPlain = channel.name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
    let isName = channel.name.utf8.contains { (0x41...0x5A).contains($0 & 0xDF) }
    return isPlain && isName ? channel.name : "\(channel.index)"
  }

  private func channel(_ bit: Int) -> CaptureSummary.Channel {
    let examination = examined.channels[bit]
    var channel = CaptureSummary.Channel(name: examination.channel.name)
    channel.role = roles.role(of: bit)?.rawValue
    switch roles.role(of: bit) {
    case .rx:
      channel.isInverted = plan.rx?.isInverted ?? false
      channel.counts = [String(counting: session.rx?.byteCount ?? 0, "byte")]
    case .tx:
      channel.isInverted = plan.tx?.isInverted ?? false
      channel.counts = [String(counting: session.tx?.byteCount ?? 0, "byte")]
    case .servo: channel.counts = [String(counting: session.pulseCount, "pulse")]
    case nil:
      channel.isInverted = examination.isInverted
      channel.counts = [String(counting: examination.edges, "edge")]
      if examination.decodes, let count = examination.trial?.byteCount {
        channel.counts.append(String(counting: count, "byte"))
      }
    }
    let isLine = [.rx, .tx].contains(roles.role(of: bit)) || examination.decodes
    if isLine, let speed = examination.speed { channel.baud = Int(speed.baud.rounded()) }
    return channel
  }

  private var notes: [String] {
    var notes: [String] = []
    if let rx = roles.rx { notes += speedNotes(rx, options.rxBaud, isRx: true) }
    if let tx = roles.tx { notes += speedNotes(tx, options.baud, isRx: false) }
    for line in [session.rx, session.tx] {
      guard let line else { continue }
      if line.cutBytes > 0 {
        notes.append(
          "\(String(counting: line.cutBytes, "byte")) on \(line.line.rawValue) left out: the "
            + "recording or a hole in it began or ended within a byte"
        )
      }
      if line.endsInByte {
        notes.append("the recording ends within a byte on \(line.line.rawValue), which is left out")
      }
      if line.isEndAssumed {
        notes.append(
          "the recording does not state its end: \(line.line.rawValue) is assumed to stay high "
            + "after its last change, which is within the last byte")
      }
      if line.breakCount > 0 {
        notes.append("\(String(counting: line.breakCount, "break")) on \(line.line.rawValue)")
      }
      if line.holeCount > line.holes.count {
        notes.append(
          "only the first \(line.holes.count) of \(line.holeCount) holes on \(line.line.rawValue) "
            + "are events")
      }
    }
    for line in [plan.rx, plan.tx] {
      guard let line, line.isInverted, options.inversion == nil else { continue }
      let name = PlainText.of(examined.channels[line.bit].channel.name, upTo: 40)
      notes.append("\(name) idles low, so it is read inverted")
    }
    if byteCount == 0 { notes.append("no byte was found: \(whyNoByte)") }
    if session.pulseCount > 0, !comparesPulses {
      notes.append(
        "pulses are sampled every \(String(readable: Interval(nanoseconds: plan.grain))), too "
          + "coarsely to be compared within 3 us, so the trace does not expect them; record at "
          + "1 MHz or more")
    }
    if session.pulses.longPulses > 0 {
      notes.append(
        "the servo's pin was high for longer than 65 ms "
          + "\(String(counting: session.pulses.longPulses, "time")), which is not a pulse")
    }
    return notes
  }

  private func speedNotes(_ bit: Int, _ baud: Int, isRx: Bool) -> [String] {
    let name = PlainText.of(examined.channels[bit].channel.name, upTo: 40)
    let coarse =
      examined.isCoarse(for: baud)
      ? [
        "\(name) was recorded with fewer than four samples a bit, so some bytes can be wrong; "
          + "record at 1 MHz or more"
      ] : []
    guard let speed = examined.channels[bit].speed else { return coarse }
    let deviation = speed.deviation(from: baud)
    guard abs(deviation) > Self.deviationMax else { return coarse }
    let sure = speed.isSure ? "" : "perhaps "
    let measured =
      "measured \(Int(speed.baud.rounded())) baud; \(speed.fitting) of "
      + "\(String(counting: speed.total, "time")) between edges fit"
    guard abs(deviation) > Self.deviationOfSpeeds else {
      let percent = Int((abs(deviation) * 1_000).rounded())
      return coarse + [
        "\(name) is \(sure)\(percent / 10).\(percent % 10) % "
          + "\(deviation < 0 ? "slower" : "faster") than \(baud) baud (\(measured))"
      ]
    }
    // A few edges with a glitch between them can look like any speed.
    guard speed.isSure || speed.isUsual else { return coarse }
    let advice =
      isRx
      ? "if only the sender has this speed, add --sender-baud \(speed.nearest); if the board has "
        + "it too, --baud \(speed.nearest)"
      : "if the board has this speed, add --baud \(speed.nearest)"
    return coarse + [
      "\(name) \(sure)runs at \(speed.nearest) baud (\(measured)), but "
        + "was read at \(baud); \(advice)"
    ]
  }
}
