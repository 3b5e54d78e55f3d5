import Engine
import Judging
import Sessions
import Sketches

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
  let verdicts = Verdicts()
  /// How long an expectation waits if it states no other time.
  let patience: Interval

  private init(
    _ session: HostedSession, _ greeting: APIGreeting, patience: Interval
  ) throws(TurretError) {
    self.session = session
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
  ///   - patience: how long an expectation waits to be decided. With `within` or `before` it is
  ///     usually decided earlier.
  /// - Throws: `TurretError` if such a turret is not possible, or if it fails; or what `body`
  ///   throws.
  public static func run<Result>(
    _ firmware: Firmware? = nil, device: Device = .model, profile: String? = nil,
    baud: Int? = nil, resetOnOpen: Bool = false, ready: Bool = true, pulses: Bool = false,
    patience: Duration = .seconds(5), isolation: isolated (any Actor)? = #isolation,
    _ body: (Turret) async throws -> Result
  ) async throws -> Result {
    let patience = try Interval(patience)
    var plan = try HostedPlan(
      firmware, device, profile: profile, baud: baud, pulses: pulses)
    plan.resetOnOpen = resetOnOpen ? .seconds(1) : nil
    plan.skipsStartUp = ready
    let session = try start(plan)
    let turret: Turret
    do {
      guard case .hello(let greeting) = try await session.ask(.hello(ends: true)) else {
        throw TurretError("expected a greeting from the bench")
      }
      turret = try Turret(session, greeting, patience: patience)
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

  private static func start(_ plan: HostedPlan) throws(TurretError) -> HostedSession {
    do {
      return try HostedSession.start(plan)
    } catch {
      throw TurretError(error.message)
    }
  }

  private func end(hasThrown: Bool) async throws(TurretError) {
    var record: SessionFiles?
    if TurretRecord.current != nil, hasThrown || verdicts.canBeFailure {
      record = await files()
    }
    let ending = await session.end()
    verdicts.take(ending)
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

/// The state of a turret. A property that the device does not show is nil.
public struct TurretState: Hashable, Sendable {
  /// The time of this state, since the session's start.
  public let time: Duration
  /// The commanded angle in degrees.
  public let servo: Int?
  /// The angle of the shaft in degrees.
  public let shaft: Double
  public let isSweeping: Bool
  /// Whether the sketch listens to its port.
  public let isReady: Bool
  /// The tone in hertz; nil if there is none.
  public let tone: Double?

  init(_ state: APIState) {
    time = state.time.duration
    servo = state.servo
    shaft = state.shaft
    isSweeping = state.isSweeping
    isReady = state.isReady
    tone = state.tone
  }
}

/// The reason why a test cannot continue: the bench has ended, or cannot do what the test requests.
public struct TurretError: Error, CustomStringConvertible, Sendable {
  /// What was expected, as a sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
