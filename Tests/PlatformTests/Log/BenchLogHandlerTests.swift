import Logging
import Platform
import Sketches
import Synchronization
import Testing

struct BenchLogHandlerTests {
  private struct PortTaken: Error, CustomStringConvertible {
    let description = "The port is taken."
  }

  /// Keeps the lines of a logger.
  private final class Kept: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func logger(_ format: LogEntry.Format, _ level: Logger.Level) -> Logger {
      Logger(label: "test") { _ in
        BenchLogHandler(format, level: level, now: { WallTime(microseconds: 0) }) { line in
          self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
      }
    }
  }

  @Test(arguments: [
    (true, false, ["w", "e"]), (false, false, ["i", "w", "e"]),
    (false, true, ["d", "i", "w", "e"]),
    (true, true, ["w", "e"]),
  ])
  func `Quiet and verbose select what is written`(
    isQuiet: Bool, isVerbose: Bool, messages: [String]
  ) {
    let kept = Kept()
    let logger = kept.logger(.text, Logger.Level(isQuiet: isQuiet, isVerbose: isVerbose))
    logger.trace("t")
    logger.debug("d")
    logger.info("i")
    logger.warning("w")
    logger.error("e")
    #expect(kept.all.map { String($0.dropLast().suffix(1)) } == messages)
  }

  @Test func `Only a client's logger names it on each line`() {
    let kept = Kept()
    let logger = kept.logger(.text, .info)
    var client = logger
    client[metadataKey: "client"] = .stringConvertible(ClientID(3))
    client.info("came", metadata: ["path": "/"])
    client.info("went", metadata: ["client": "4"])
    logger.info("still here")
    #expect(
      kept.all == [
        "sentrybench: came client=3 path=/\n", "sentrybench: went client=4\n",
        "sentrybench: still here\n",
      ])
  }

  @Test func `An error that is passed in is on the line`() {
    let kept = Kept()
    kept.logger(.json, .info).warning("no", error: PortTaken())
    #expect(
      kept.all == [
        """
        {"time": "1970-01-01T00:00:00.000000Z", "level": "warning", "message": "no", \
        "error": "The port is taken."}\n
        """
      ])
  }
}
