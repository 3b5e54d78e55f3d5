import SentryBenchTesting
import TestSupport
import Testing

/// What a failing test reports, and where.
@Suite(.ownThread) struct FailureTests {
  @Test func `A failure is recorded where its rule is stated`() async throws {
    var line = 0
    let failures = try await asyncFailures {
      try await Turret.run { turret in
        try await turret.send("X90.")
        line = #line + 1
        try await turret.expect(.servo(110), within: .milliseconds(20), of: "X90.")
      }
    }
    let failure = try #require(failures.first)
    #expect(failures.count == 1)
    #expect(failure.place == "FailureTests.swift:\(line)")
    #expect(
      failure.text.hasPrefix(
        #"FailureTests.swift:\#(line): servo 110 within 20 ms of "X90." failed"#))
    #expect(failure.text.contains(#""rx", "X90.""#))
  }

  @Test func `A rule that breaks later is recorded where it is stated`() async throws {
    var line = 0
    let failures = try await asyncFailures {
      try await Turret.run { turret in
        line = #line + 1
        try await turret.never(.junk)
        try await turret.send("X90.!")
        try await turret.expect(.servo(90))
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(failures.map(\.place) == ["FailureTests.swift:\(line)"])
    #expect(failures.first?.text.contains("never junk failed") == true)
  }

  @Test func `An expectation that nothing decides gives up`() async throws {
    let failures = try await asyncFailures {
      try await Turret.run(patience: .milliseconds(30)) { turret in
        let time = try await turret.expect(.servo(110), of: "X110.")
        #expect(time == nil)
        // The next expectation is not delayed.
        try await turret.send("X45.")
        try await turret.expect(.servo(45), of: "X45.")
      }
    }
    #expect(failures.count == 1)
    #expect(failures.first?.text.contains(#"no "X110." was sent"#) == true)
    #expect(failures.first?.text.contains("the expectation waited for 30 ms") == true)
  }

  @Test func `A rule that nothing could have tested fails`() async throws {
    let failures = try await asyncFailures {
      try await Turret.run { turret in try await turret.never(.lost) }
    }
    #expect(failures.count == 1)
  }

  @Test func `An error of the test ends the turret`() async throws {
    struct Mistake: Error {}
    var later: Turret?
    await #expect(throws: Mistake.self) {
      try await Turret.run { turret in
        later = turret
        throw Mistake()
      }
    }
    let turret = try #require(later)
    await #expect(throws: TurretError.self) { try await turret.send("X90.") }
  }

  @Test func `A test that is cancelled ends its turret`() async throws {
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await Turret.run(patience: .seconds(600)) { turret in
        continuation.yield()
        try await turret.expect(.servo(110), of: "X110.")
      }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [
    (Output.servo(181), "angles from 0 to 180"), (.servo(-1), "angles from 0 to 180"),
    (.servo(0...Int.max), "angles from 0 to 180"), (.shaft(.nan, ±1), "an angle in degrees"),
    (.shaft(90, ±(-1)), "a margin of at least 0"), (.pulse(.infinity), "a width in microseconds"),
    (.transmit("\u{2603}"), "U+0000 to U+00FF"), (.tone(0), "a tone of more than 0 Hz"),
  ]) func `An output that cannot be says what was expected`(
    _ output: Output, _ expected: String
  ) throws {
    let turret = try VirtualTurret()
    let error = #expect(throws: TurretError.self) { try turret.expect(output) }
    #expect(error?.description.contains(expected) == true)
  }

  @Test(arguments: [
    (SessionRule.angles(30...181), "angles from 0 to 180"),
    (.angles(Int.min...Int.max), "angles from 0 to 180"), (.ends(servo: 181), "angles from 0"),
    (.ends(), "expected an angle"), (.commands(-1), "a count from 0"),
    (.commands(0...Int.max), "a count from 0"), (.rate(-1, per: .seconds(1)), "a count from 0"),
    (.rate(1, per: .zero), "a time over 0 s"), (.gap(.zero), "a time over 0 s"),
    (.quiet(.zero), "a time over 0 s"), (.never(), "at least one mishap"),
    (.matches("/nowhere/aim.jsonl"), "/nowhere/aim.jsonl"),
  ]) func `A rule that cannot be says what was expected`(
    _ rule: SessionRule, _ expected: String
  ) throws {
    let turret = try VirtualTurret()
    let error = #expect(throws: TurretError.self) { try turret.expect(rule) }
    #expect(error?.description.contains(expected) == true)
  }

  @Test(arguments: [
    Duration.seconds(-1), .seconds(Int64.max), .seconds(1_000_000_000), .nanoseconds(-1),
  ]) func `A time that cannot be says what was expected`(_ time: Duration) throws {
    let turret = try VirtualTurret()
    #expect(throws: TurretError.self) { try turret.expect(.servo(90), within: time) }
    #expect(throws: TurretError.self) { try turret.expect(.servo(90), before: time) }
    #expect(throws: TurretError.self) { try turret.expect(.quiet(time)) }
    #expect(throws: TurretError.self) { try turret.run(until: time) }
    #expect(throws: TurretError.self) { try turret.send("L", at: time) }
  }

  @Test func `A file that is no sketch is named`() async throws {
    let error = await #expect(throws: TurretError.self) {
      try await Turret.run(device: .chip("/nowhere/sketch.elf")) { _ in }
    }
    #expect(error?.description.contains("/nowhere/sketch.elf") == true)
  }
}
