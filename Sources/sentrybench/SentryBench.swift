import ArgumentParser

@main
struct SentryBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sentrybench",
    abstract: "A test bench for a serial-controlled Arduino servo turret, without the turret.")
}
