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
      prints what the sender probably meant but did not get.
      """)

  @Argument(help: "The trace; - is standard input.")
  var trace: String

  @OptionGroup var deviceOptions: DeviceOptions

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
    let firmware = reader.header.firmware(unless: deviceOptions.firmware)
    let device = try source.makeDevice(
      for: reader.header, firmware: firmware, showsPulses: false)
    let ledger = try Ledger(&reader, device)
    let explanation = Explanation(ledger, firmware: firmware)
    if json {
      for line in explanation.jsonLines { try Console.write(line) }
      return
    }
    if !talk.quiet { for line in explanation.byteLines { try Console.write(line) } }
    for line in explanation.misunderstandingLines { try Console.write(line) }
  }
}
