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
      also prints how often each byte had another fate and each command was lost.
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
    try explain(on: deviceOptions.transparentSource())
  }

  private func explain(on source: some DeviceSource) throws {
    var reader = try TraceReader(path: trace)
    talk.report(reader.notes, about: trace)
    try length.limit(&reader)
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
    if json {
      for line in explanation.jsonLines { try Console.write(line) }
      return
    }
    if !talk.quiet { for line in explanation.byteLines { try Console.write(line) } }
    for line in explanation.misunderstandingLines + explanation.worldLines {
      try Console.write(line)
    }
  }
}
