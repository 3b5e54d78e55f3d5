import Traces

/// A value change dump as in IEEE 1364, clause 18: declarations, then instants, each with the
/// variables that change. Variables of one bit are channels.
struct ValueChangeDump {
  static var format: CaptureFormat { CaptureFormat(recognize, file: open) }

  private static func recognize(_ head: CaptureHead) -> Recognition {
    let words = head.lines(256).joined(separator: "\n").split {
      $0 == " " || $0 == "\n" || $0 == "\t"
    }
    guard let first = words.first, first.hasPrefix("$") else { return .no }
    if words.contains(where: { ["$timescale", "$enddefinitions", "$dumpvars"].contains($0) }) {
      return .certain
    }
    return ["$date", "$version", "$comment", "$scope", "$var"].contains(first) ? .possible : .no
  }

  private static func open(
    _ file: CaptureFile, _ options: CaptureOptions
  ) throws(CaptureError) -> Capture {
    var tokens = VCDTokens(file)
    let names = [options.rxChannel, options.txChannel, options.servoChannel].compactMap { $0 }
    let head = try VCDHead(&tokens, named: names)
    let body = VCDBody(file: file, head: head)
    var recording = LogicRecording(
      kind: .vcd, channels: head.channels, sampleRate: nil, source: head.source, recorded: nil,
      scan: { (take) throws(CaptureError) in try body.scan(take) })
    recording.notes = head.notes
    return try Capture(recording, options)
  }
}
