import ArgumentParser
import Devices
import Files
import Sessions
import Traces
import Turret
import Verification

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "What became of every byte.",
    discussion: """
      For each byte, prints when it arrived, when the sketch took it and what became of it. Then \
      prints what the sender probably meant but did not get. For a trace with uncertain times, it \
      also prints how often each byte had another fate and each command was lost. On avr:, and for \
      a sketch that no model behaves as, it prints what can be seen without knowing the sketch: \
      which bytes were taken or lost, and which outputs followed each.
      """)

  @Argument(help: "The trace; - is standard input.")
  var trace: String

  @OptionGroup var deviceOptions: DeviceOptions

  @OptionGroup var worldOptions: WorldOptions

  @Flag(help: "Print JSON Lines, one object for each byte.")
  var json = false

  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func run() throws {
    let source = try deviceOptions.transparentSource()
    var reader = try TraceReader(path: trace)
    talk.report(reader.notes, about: trace)
    try length.limit(&reader)
    let chosen = deviceOptions.source(source, for: reader.header)
    if chosen.reportsFates {
      try explain(&reader, on: chosen)
    } else {
      try observe(&reader, on: chosen)
    }
  }

  /// Explains with the model of the sketch.
  private func explain(_ reader: inout TraceReader, on source: some DeviceSource) throws {
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: deviceOptions.firmware)
    let explanation: Explanation
    let worlds = worldOptions.run
    if let uncertainty = worlds.uncertainty(of: reader.header, on: source) {
      let (ledger, findings, _, _) = try worlds.explore(
        &reader, uncertainty: uncertainty, on: source, firmware: deviceOptions.firmware)
      explanation = Explanation(ledger, firmware: firmware, worlds: findings)
    } else {
      let device = try source.makeDevice(
        for: reader.header, firmware: firmware, showsPulses: false)
      explanation = Explanation(try Ledger(&reader, device), firmware: firmware)
    }
    try write(
      explanation.jsonLines, explanation.byteLines,
      explanation.misunderstandingLines + explanation.worldLines)
  }

  /// Explains with what can be seen without knowing the sketch.
  private func observe(_ reader: inout TraceReader, on source: some DeviceSource) throws {
    try worldOptions.refuse()
    let header = reader.header
    talk.report(
      source.speedNotes(header, speed: source.findSpeed()) + worldOptions.notes(header),
      about: trace)
    let device = try source.makeDevice(
      for: header, firmware: header.firmware(unless: deviceOptions.firmware), showsPulses: false)
    let session = try ObservedSession(&reader, on: device)
    if !talk.quiet { for remark in session.deviceRemarks { Console.report(remark) } }
    let explanation = ObservedExplanation(session, sketch: header.otherFirmware)
    try write(explanation.jsonLines, explanation.byteLines, explanation.lossLines)
    if let fault = session.fault { throw fault }
  }

  private func write(
    _ json: @autoclosure () -> [String], _ bytes: @autoclosure () -> [String],
    _ summary: @autoclosure () -> [String]
  ) throws {
    if self.json {
      for line in json() { try Console.write(line) }
      return
    }
    if !talk.quiet { for line in bytes() { try Console.write(line) } }
    for line in summary() { try Console.write(line) }
  }
}
