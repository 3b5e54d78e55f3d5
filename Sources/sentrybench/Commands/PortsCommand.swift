import ArgumentParser
import Sessions

struct PortsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ports",
    abstract: "List the serial ports of this computer.",
    discussion: "If there are none, a message on standard error says so, and the exit status is 0.")

  @Flag(help: "Print JSON Lines, one object for each port.")
  var json = false

  func run() throws {
    let listing = try PortListing()
    if listing.isEmpty { Console.report("There is no serial port on this computer.") }
    for line in json ? listing.json : listing.lines { try Console.write(line) }
  }
}
