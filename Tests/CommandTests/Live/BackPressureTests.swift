import Foundation
import TestSupport
import Testing

/// The line is slow, and its back pressure reaches the sender.
@Suite(
  .ownThread, .enabled(if: Tool.isLinux, "what a pty buffers was measured on Linux"),
  .enabled(if: Tool.areExpected(.pyserial), "no python3"))
struct BackPressureTests {
  /// The bytes that can wait in the bench, and those that the kernel can accept before the bench
  /// stops it.
  static let waitingMax = 4_096 + 20_480

  @Test(arguments: [(9_600, 2_000), (115_200, 2_000), (1_200, 100)])
  func `Bytes that are written at once arrive at the line's speed`(_ baud: Int, _ count: Int)
    async throws
  {
    let stage = try Stage(
      options: ["--baud", "\(baud)"], records: true,
      command: ["/bin/sh", "-c", "yes X90. | tr -d '\\n' | head -c \(count) >\"$SENTRY_PORT\""])
    let outcome = try await stage.end()
    #expect(outcome.status == 0)
    let arrivals = try arrivals(stage)
    #expect(arrivals.count == count)
    // Ten bits a byte. The span begins when the first byte arrives.
    let span = try #require(arrivals.last) - #require(arrivals.first)
    let expected = Double(10 * (count - 1)) / Double(baud)
    #expect(span > expected - 0.001)
    // It is longer only if the sender could not write everything in time.
    #expect(span < expected + 0.5)
    try stage.expectSameReplay(outcome)
  }

  @Test func `A nonblocking sender gets EAGAIN, continues later, and loses nothing`() async throws {
    // A line of 3 840 bytes a second soon carries the bytes that the kernel has accepted.
    let stage = try Stage(
      options: ["--baud", "38400"],
      command: python(
        """
        accepted = refused = excess = later = 0
        port = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        began = time.monotonic()
        while refused == 0 or later < 1000:
            try:
                count = os.write(port, b"X90." * 4)
                accepted += count
                if refused > 0: later += count
                time.sleep(0.0002)
            except BlockingIOError:
                refused += 1
                time.sleep(0.001)
            excess = max(excess, accepted - 3840 * (time.monotonic() - began))
        """))
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let sent = try report(stage)
    #expect(sent["refused"]! > 0)
    #expect(sent["excess"]! < Self.waitingMax)
    #expect(try arrivals(stage).count == sent["accepted"]!)
    #expect(!stage.recording.contains("\"lost\""))
    try stage.expectSameReplay(outcome)
  }

  @Test func `A blocking sender leads the line by at most a port's and the kernel's buffer`()
    async throws
  {
    let stage = try Stage(
      command: python(
        """
        accepted = excess = 0
        port = os.open(path, os.O_WRONLY | os.O_NOCTTY)
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 3)
        try:
            while True:
                accepted += os.write(port, b"X90." * 16)
                excess = max(excess, accepted - 960 * (time.monotonic() - began))
        except InterruptedError:
            pass
        refused = 0
        # What still waits need not be sent.
        atexit = lambda: os.kill(os.getppid(), signal.SIGTERM)
        """))
    let outcome = try await stage.end()
    #expect(outcome.status == 143, "\(outcome.errors)")
    let sent = try report(stage)
    #expect(sent["excess"]! < Self.waitingMax)
    // It could fill the buffers, but write no more than that.
    #expect(sent["accepted"]! > 2_048)
    #expect(sent["accepted"]! < Self.waitingMax + 4 * 960)
    try stage.expectSameReplay(outcome)
  }

  /// Returns a command that runs a script, which writes its figures to the file `report`.
  private func python(_ body: String) -> [String] {
    let text = """
      import json, os, signal, time
      def interrupt(*_): raise InterruptedError
      signal.signal(signal.SIGALRM, interrupt)
      atexit = lambda: None
      path = os.environ["SENTRY_PORT"]
      \(body)
      figures = {"accepted": accepted, "refused": refused, "excess": int(excess)}
      with open("report", "w") as file: json.dump(figures, file)
      atexit()
      os._exit(0)
      """
    return [Tool.pyserial.path ?? "python3", "-c", text]
  }

  private func report(_ stage: Stage) throws -> [String: Int] {
    try JSONDecoder().decode([String: Int].self, from: Data(stage.bench.read("report").utf8))
  }

  /// Returns when each byte arrived on the board, in seconds.
  private func arrivals(_ stage: Stage) throws -> [Double] {
    struct Fate: Decodable { var arrived: Double }
    let outcome = try stage.bench.run("explain", "--json", "record.jsonl")
    #expect(outcome.status == 0)
    return try outcome.lines.map {
      try JSONDecoder().decode(Fate.self, from: Data($0.utf8)).arrived
    }
  }
}
