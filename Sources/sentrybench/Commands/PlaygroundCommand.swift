import ArgumentParser
import Logging
import Network
import Platform
import Sessions
import Traces

struct PlaygroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "playground",
    abstract: "Show the bench as a page in a browser.",
    discussion: """
      Serves the playground to this computer until Ctrl-C. Everything runs in the browser: what is \
      typed or dropped there does not leave it.
      """)

  @Option(help: "The port on 127.0.0.1; 0 is any free port.")
  var port = 8_090

  func validate() throws {
    try UsageRule.check(UsageRule("--port", port, in: 0...65_535))
  }

  func run() throws {
    let pages = try PageTable.playground()
    let server: PageServer
    do throws(NetworkError) {
      server = try PageServer(
        pages, at: Endpoint(host: "127.0.0.1", port: port),
        log: BenchLog(.text, level: .warning).logger)
    } catch {
      throw Failure(error)
    }
    try Console.write("The playground is at \(server.address)/. Press Ctrl-C to end.")
    try Console.flush()
    do throws(NetworkError) {
      try server.run()
    } catch {
      throw Failure(error)
    }
  }
}
