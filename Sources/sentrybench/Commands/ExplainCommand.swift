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
    try length.limit(&reader)
    let firmware = reader.header.firmware(unless: deviceOptions.firmware)
    let device = try source.makeDevice(
      for: reader.header, firmware: firmware, showsPulses: false)
    let ledger = try Ledger(&reader, device)
    if json {
      for entry in ledger.entries { try Console.write(Self.json(entry)) }
      return
    }
    if !talk.quiet { try show(ledger) }
    try show(Misunderstanding.find(in: ledger, firmware: firmware))
  }

  private func show(_ ledger: Ledger) throws(Failure) {
    try Console.write("  arrived      taken        byte  fate         command")
    for entry in ledger.entries {
      let arrived = Self.seconds(entry.arrived).padded(to: 12)
      let taken = (entry.taken.map(Self.seconds) ?? "never").padded(to: 12)
      let byte = ByteText.name(entry.byte).padded(to: 5)
      let fate = entry.fate.rawValue.padded(to: 12)
      var line = "  \(arrived) \(taken) \(byte) \(fate) \(entry.command.map { "\($0)" } ?? "")"
      if entry.endedScan { line += "  ended the scan" }
      while line.last == " " { line.removeLast() }
      try Console.write(line)
    }
    let counts = Fate.allCases.compactMap { fate in
      let count = ledger.entries.count { $0.fate == fate }
      return count > 0 ? "\(count) \(fate.rawValue)" : nil
    }
    let total = ledger.entries.count
    try Console.write(
      "\(total) byte\(total == 1 ? "" : "s")"
        + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", ")))
  }

  private func show(_ misunderstandings: [Misunderstanding]) throws(Failure) {
    guard !misunderstandings.isEmpty else { return }
    try Console.write("")
    try Console.write("What the sender probably meant and did not get:")
    for item in misunderstandings {
      try Console.write("  \(Self.seconds(item.time)) s  \(item.text)")
    }
  }

  private static func json(_ entry: Ledger.Entry) -> String {
    var json = JSONText()
    json.add("byte", Int(entry.byte))
    json.add("arrived", entry.arrived.roundedUpToMicrosecond)
    if let taken = entry.taken {
      json.add("taken", taken.roundedUpToMicrosecond)
    } else {
      json.add("taken", .null)
    }
    json.add("fate", entry.fate.rawValue)
    json.add("ended_scan", .bool(entry.endedScan))
    if let command = entry.command {
      json.add("command", command)
    } else {
      json.add("command", .null)
    }
    return json.text
  }

  private static func seconds(_ instant: Instant) -> String {
    String(canonical: instant.roundedUpToMicrosecond)
  }
}
