import Devices
import Engine
import Judging
public import SentryBenchModels
import Sessions
import Sketches
public import Testing

/// A turret for one test: a live session on a thread of its own, in this process.
///
///     @Test func `The sender aims`() async throws {
///       try await Turret.run(.guarded) { turret in
///         let sender = try Sender(port: turret.port)
///         try sender.aim(at: 110)
///         try await turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
///       }
///     }
///
/// Senders reach it through a pty (`port`), a WebSocket (`webSocketURL`) or bare TCP (`tcp`).
/// Several turrets can run at once. A turret leaves nothing behind after `run`, and does not change
/// the signals, the standard output or the environment of the process, except that SwiftNIO ignores
/// SIGPIPE on Linux.
public final class Turret: Sendable {
  /// The path of the serial port: a pty.
  public let port: String
  /// For example `ws://127.0.0.1:40123/`.
  public let webSocketURL: String
  /// The address that accepts bare TCP, for example `127.0.0.1:40124`.
  public let tcp: String
  /// The variables that `sentrybench run` sets for a sender: SENTRY_PORT, SENTRY_WEBSOCKET and
  /// SENTRY_TCP.
  public let environment: [String: String]

  let session: HostedSession
  /// Creates the turret's device.
  let source: any DeviceSource
  let verdicts = Verdicts()
  /// How long an expectation waits if it states no other time.
  let patience: Interval

  private init(
    _ session: HostedSession, _ greeting: APIGreeting, on source: any DeviceSource,
    patience: Interval
  ) throws(TurretError) {
    self.session = session
    self.source = source
    self.patience = patience
    environment = Dictionary(
      greeting.environment.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    guard let port = environment["SENTRY_PORT"], let tcp = environment["SENTRY_TCP"],
      let webSocketURL = environment["SENTRY_WEBSOCKET"]
    else { throw TurretError("expected a bench with a pty, a WebSocket and TCP") }
    self.port = port
    self.tcp = tcp
    self.webSocketURL = webSocketURL
  }

  /// Runs a turret while `body` runs, and then judges its session.
  ///
  /// A rule that fails is recorded as an issue where it is stated, and the test continues, as with
  /// `#expect`. The turret ends with `body`, even if that throws or its task is cancelled.
  ///
  /// - Parameters:
  ///   - firmware: the sketch; nil for the program of `device`, or for `guarded` on the model.
  ///   - device: what runs the sketch.
  ///   - profile: a file that defines the sketch's commands, the name of a sketch, or `none`; nil
  ///     for the commands of `firmware`.
  ///   - baud: the board's speed in bits a second; nil for that of the profile, the speed that the
  ///     program sets, or 9600.
  ///   - resetOnOpen: whether a sender that opens the port restarts the board, as on a real Uno.
  ///   - ready: whether `body` begins when the sketch listens. The start-up of a model or a chip
  ///     then takes no real time, and its session's clock starts after it. If false, the test can
  ///     watch the start-up.
  ///   - pulses: whether the servo's pulses can be observed.
  ///   - faults: what disturbs the sender's line, as `sentrybench run --fault` takes it, in order:
  ///     `["adapter:hm-10", "flip:1e-4"]`.
  ///   - seed: the seed of the faults; nil for 1.
  ///   - patience: how long an expectation waits to be decided. With `within` or `before` it is
  ///     usually decided earlier.
  ///   - isolation: the actor on which `body` runs; nil for any.
  ///   - body: the test.
  /// - Throws: `TurretError` if such a turret is not possible, or if it fails; or what `body`
  ///   throws.
  public static func run<Result>(
    _ firmware: SentryBenchModels.Firmware? = nil, device: Device = .model, profile: String? = nil,
    baud: Int? = nil, resetOnOpen: Bool = false, ready: Bool = true, pulses: Bool = false,
    faults: [String] = [], seed: UInt64? = nil,
    patience: Duration = .seconds(5), isolation: isolated (any Actor)? = #isolation,
    _ body: (Turret) async throws -> Result
  ) async throws -> Result {
    let patience = try Interval(patience)
    let stated = try StatedSession(
      firmware, profile: profile, baud: baud, pulses: pulses, faults: faults, seed: seed)
    var plan = HostedPlan(stated, on: try device.source())
    try plan.session.check()
    plan.resetOnOpen = resetOnOpen ? .seconds(1) : nil
    plan.skipsStartUp = ready
    let session = try TurretError.ofBench { try HostedSession.start(plan) }
    let turret: Turret
    do {
      guard case .hello(let greeting) = try await session.ask(.hello(ends: true)) else {
        throw TurretError("expected a greeting from the bench")
      }
      turret = try Turret(session, greeting, on: plan.source, patience: patience)
      if ready { _ = try await turret.ask(.ready) }
    } catch {
      let ending = await session.end()
      throw ending.failure.map { TurretError($0.message) } ?? error
    }
    do {
      let result = try await body(turret)
      try await turret.end(hasThrown: false)
      return result
    } catch {
      try? await turret.end(hasThrown: true)
      throw error
    }
  }

  private func end(hasThrown: Bool) async throws(TurretError) {
    var record: SessionFiles?
    if TurretRecord.current != nil, hasThrown || verdicts.canBeFailure {
      record = await files()
    }
    let ending = await session.end()
    verdicts.take(ending.end)
    if hasThrown || verdicts.isFailure { record?.keep() }
    if let failure = ending.failure {
      throw TurretError(([failure.message] + ending.remarks).joined(separator: "\n"))
    }
  }

  /// Makes a request. Throws `TurretError` if it is refused, or `CancellationError`.
  func ask(_ request: APIRequest) async throws -> APIAnswer {
    do {
      return try await session.ask(request)
    } catch let mistake as APIRequest.Mistake {
      throw TurretError(mistake.message)
    }
  }
}

// What a test does with its turret.
extension Turret {
  /// Sends bytes to the board itself, without a sender.
  ///
  /// - Parameters:
  ///   - text: its characters are the bytes, U+0000 to U+00FF.
  ///   - time: when, since the session's start; nil for now.
  /// - Throws: `TurretError` if the line is full, or the turret has ended.
  public func send(_ text: String, at time: Duration? = nil) async throws {
    try await send(try [UInt8](bytesOf: text), at: time)
  }

  /// Sends bytes to the board itself, without a sender.
  public func send(_ bytes: [UInt8], at time: Duration? = nil) async throws {
    _ = try await ask(try .sending(bytes, at: time))
  }

  /// Applies a level to a pin of an emulated board, until another is applied.
  ///
  /// - Parameters:
  ///   - pin: for example `D2`.
  ///   - isHigh: the level.
  ///   - time: when, since the session's start; nil for now.
  /// - Throws: `TurretError` if there is no such pin, or the device has none.
  public func set(_ pin: String, _ isHigh: Bool, at time: Duration? = nil) async throws {
    _ = try await ask(try .setting(pin, isHigh, at: time))
  }

  /// Applies a voltage to a pin of an emulated board, until another is applied.
  ///
  /// - Parameters:
  ///   - pin: for example `A0`.
  ///   - volts: 0 to 5.
  ///   - time: when, since the session's start; nil for now.
  /// - Throws: `TurretError` if there is no such pin, or the device has none.
  public func analog(_ pin: String, volts: Double, at time: Duration? = nil) async throws {
    _ = try await ask(try .applying(volts, to: pin, at: time))
  }

  /// Tells a part of an emulated board something, such as the distance in metres to
  /// `hc-sr04@D7:D8`, until it is told something else.
  ///
  /// - Parameters:
  ///   - part: its name, as the device's options state it.
  ///   - value: in the part's unit, from 0.
  ///   - time: when, since the session's start; nil for now.
  /// - Throws: `TurretError` if no such part is attached, or it does not take that value.
  public func part(_ part: String, _ value: Double, at time: Duration? = nil) async throws {
    _ = try await ask(try .telling(part, value, at: time))
  }

  /// The turret's state now.
  public var state: TurretState {
    get async throws {
      guard case .state(let state) = try await ask(.state) else { throw TurretError.otherAnswer }
      return TurretState(state)
    }
  }

  /// The angle of the turret's shaft now, in degrees.
  public var shaft: Double {
    get async throws { try await state.shaft }
  }

  /// Returns what became of every byte, as `sentrybench explain` prints it.
  public func explain() async throws -> String {
    guard case .explanation(let explanation) = try await ask(.explain) else {
      throw TurretError.otherAnswer
    }
    return explanation.lines.joined(separator: "\n")
  }

  /// Returns a picture of the session so far, as SVG.
  public func plot() async throws -> String {
    guard case .picture(let svg) = try await ask(.plot) else { throw TurretError.otherAnswer }
    return svg
  }

  /// Returns the session so far as a trace, which `sentrybench verify` and `plot` read.
  public func trace() async throws -> String {
    guard case .trace(let text) = try await ask(.trace) else { throw TurretError.otherAnswer }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the smallest session that breaks one of the rules as the session so far does, as a
  /// trace: fewer bytes, simpler bytes, rounder times. It is run again on the turret's device, in
  /// virtual time.
  ///
  /// - Parameter rules: none: no byte is lost, junk, swallowed, abandoned, refused or sent at a
  ///   wrong speed.
  /// - Throws: `TurretError` if the session breaks none of the rules there.
  public func shrink(_ rules: SessionRule...) async throws -> String {
    try SmallestSession.find(in: try await trace(), breaking: rules, on: source, open: openTrace)
  }

  func files() async -> SessionFiles? {
    guard let trace = try? await trace() else { return nil }
    return SessionFiles(trace: trace, explanation: try? await explain(), picture: try? await plot())
  }
}

// What a test expects of its turret.
extension Turret {
  /// Waits until the turret does something, in time. Expectations are met in the order in which
  /// they are stated: each searches from the match of the previous one onwards.
  ///
  /// - Parameters:
  ///   - output: what it does.
  ///   - within: how long it can take, from the first byte of `command`; without a command, from
  ///     the last byte that was sent before.
  ///   - command: the next such command that the sender sends. `*` stands for any text.
  ///   - before: the output must come earlier than this in the session.
  ///   - sourceLocation: where a failure is reported.
  /// - Returns: when it happened, since the session's start; nil if it failed.
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  @discardableResult public func expect(
    _ output: SentryBenchModels.Output, within: Duration? = nil, of command: String? = nil,
    before: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Duration? {
    try await state(
      .reaching(output, within: within, of: command, before: before), sourceLocation)
  }

  /// Waits until the turret does these things in this order, and nothing of their kinds between
  /// them.
  ///
  /// - Returns: when the last of them happened, since the session's start; nil if it failed.
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  @discardableResult public func expect(
    exactly outputs: SentryBenchModels.Output..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Duration? {
    try await state(.exactly(outputs), sourceLocation)
  }

  /// States a rule about the session as a whole.
  ///
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  public func expect(
    _ rule: SessionRule, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    _ = try await state(try rule.requirement(), sourceLocation)
  }

  /// States that none of these has happened, and that none happens until the end.
  ///
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  public func never(
    _ mishaps: SentryBenchModels.Mishap..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await expect(.never(mishaps), sourceLocation: sourceLocation)
  }

  /// States that a pin never does this: always, or while the sketch does something. `output` is
  /// `.pin`, `.pinPulse` or `.duty`.
  ///
  /// - Throws: `TurretError` if the turret has ended; `CancellationError`.
  public func never(
    _ output: SentryBenchModels.Output, while activity: SketchActivity? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await expect(.never(output, while: activity), sourceLocation: sourceLocation)
  }

  private func state(
    _ requirement: Requirement, _ location: SourceLocation
  ) async throws -> Duration? {
    let rule = verdicts.rule(requirement, at: location)
    return verdicts.take(try await ask(.expect(rule, patience: patience)))
  }
}
