package import Devices
package import Engine
import Judging
import Sketches
public import Testing
package import Traces

/// A turret in virtual time. It has no port, and takes no real time: its time passes when the test
/// advances it, and while an expectation waits. Its results are always the same.
///
///     @Test func `The classic sketch aims`() throws {
///       let turret = try VirtualTurret(.classic)
///       try turret.send("X110.", at: .seconds(2))
///       try turret.expect(.servo(110), within: .milliseconds(50), of: "X110.")
///     }
///
/// The session ends with `end`, or at the latest when this object is released.
public final class VirtualTurret {
  private let host: any VirtualHost
  private let source: any DeviceSource
  private let open: (String) throws(TraceError) -> TraceReader
  private let verdicts = Verdicts()
  private let patience: Interval
  private var isOver = false

  /// Creates a turret whose sketch is a model, switched on at time 0.
  ///
  /// - Parameters:
  ///   - firmware: the sketch.
  ///   - baud: the board's speed in bits a second.
  ///   - pulses: whether the servo's pulses can be observed.
  ///   - faults: what disturbs the sender's line, as `sentrybench run --fault` takes it, in order:
  ///     `["adapter:hm-10", "flip:1e-4"]`.
  ///   - seed: the seed of the faults; nil for 1.
  ///   - patience: how long an expectation waits to be decided, in virtual time. With `within` or
  ///     `before` it is usually decided earlier.
  /// - Throws: `TurretError` if such a turret is not possible.
  // `SentryBenchTesting` has one with more parameters, which is preferred.
  @_disfavoredOverload public convenience init(
    _ firmware: Firmware = .guarded, baud: Int? = nil, pulses: Bool = false,
    faults: [String] = [], seed: UInt64? = nil, patience: Duration = .seconds(5)
  ) throws {
    let stated = try StatedSession(
      firmware, baud: baud, pulses: pulses, faults: faults, seed: seed)
    try self.init(stated, on: ModelSource(), patience: patience) { (path) throws(TraceError) in
      throw TraceError(.noInput, path: path, "this library reads no files")
    }
  }

  /// `open` opens the traces that rules name.
  package init(
    _ stated: StatedSession, on source: some DeviceSource, patience: Duration,
    open: @escaping (String) throws(TraceError) -> TraceReader
  ) throws {
    self.patience = try Interval(patience)
    let plan = SessionPlan(stated, on: source)
    try plan.check()
    self.source = source
    self.open = open
    host = try TurretError.translating { try DeviceHost(plan, on: source, open: open) }
  }

  deinit { try? end() }

  /// Ends the session, and judges the rules that the end decides. Can be called again.
  ///
  /// - Throws: `TurretError` if the device failed.
  public func end() throws {
    guard !isOver else { return }
    var record: SessionFiles?
    if TurretRecord.current != nil, verdicts.canBeFailure { record = files }
    isOver = true
    let ending = host.end()
    verdicts.take(ending.end)
    if verdicts.isFailure { record?.keep() }
    if let failure = ending.failure { throw TurretError(failure.description) }
  }

  /// Sends bytes.
  ///
  /// - Parameters:
  ///   - text: its characters are the bytes, U+0000 to U+00FF.
  ///   - time: when, since the session's start; nil for now.
  /// - Throws: `TurretError` if the line is full, or the session is over.
  @discardableResult public func send(_ text: String, at time: Duration? = nil) throws -> Self {
    try send(try [UInt8](bytesOf: text), at: time)
  }

  /// Sends bytes.
  @discardableResult public func send(_ bytes: [UInt8], at time: Duration? = nil) throws -> Self {
    _ = try ask(try .sending(bytes, at: time))
    return self
  }

  /// Applies a level to a pin of an emulated board, until another one is applied. See `Turret.set`.
  @discardableResult public func set(
    _ pin: String, _ isHigh: Bool, at time: Duration? = nil
  ) throws -> Self {
    _ = try ask(try .setting(pin, isHigh, at: time))
    return self
  }

  /// Applies a voltage to a pin of an emulated board, until another one is applied. See
  /// `Turret.analog`.
  @discardableResult public func analog(
    _ pin: String, volts: Double, at time: Duration? = nil
  ) throws -> Self {
    _ = try ask(try .applying(volts, to: pin, at: time))
    return self
  }

  /// Tells a part of an emulated board something, until it is told something else. See
  /// `Turret.part`.
  @discardableResult public func part(
    _ part: String, _ value: Double, at time: Duration? = nil
  ) throws -> Self {
    _ = try ask(try .telling(part, value, at: time))
    return self
  }

  /// Lets time pass, at most a day.
  ///
  /// - Parameter time: until when, since the session's start.
  @discardableResult public func run(until time: Duration) throws -> Self {
    _ = try ask(.run(until: try Instant(time)))
    return self
  }

  /// Lets time pass until the turret does something. See `Turret.expect`.
  ///
  /// - Returns: when it happened, since the session's start; nil if it failed.
  @discardableResult public func expect(
    _ output: Output, within: Duration? = nil, of command: String? = nil,
    before: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Duration? {
    try state(.reaching(output, within: within, of: command, before: before), sourceLocation)
  }

  /// Lets time pass until the turret does these things in this order, and nothing of their kinds
  /// between them.
  @discardableResult public func expect(
    exactly outputs: Output..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Duration? {
    try state(.exactly(outputs), sourceLocation)
  }

  /// States a rule about the session as a whole.
  public func expect(
    _ rule: SessionRule, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    _ = try state(try rule.requirement(), sourceLocation)
  }

  /// States that none of these has happened, and that none happens until the end.
  public func never(
    _ mishaps: Mishap..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(.never(mishaps), sourceLocation: sourceLocation)
  }

  /// States that a pin never does this: always, or while the sketch does something. `output` is
  /// `.pin`, `.pinPulse` or `.duty`.
  public func never(
    _ output: Output, while activity: SketchActivity? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(.never(output, while: activity), sourceLocation: sourceLocation)
  }

  private func state(_ requirement: Requirement, _ location: SourceLocation) throws -> Duration? {
    let rule = verdicts.rule(requirement, at: location)
    return verdicts.take(try ask(.expect(rule, patience: patience)))
  }

  /// The turret's state now.
  public var state: TurretState {
    get throws {
      guard case .state(let state) = try ask(.state) else { throw TurretError.otherAnswer }
      return TurretState(state)
    }
  }

  /// The angle of the turret's shaft now, in degrees.
  public var shaft: Double {
    get throws { try state.shaft }
  }

  /// Returns what became of every byte, as `sentrybench explain` prints it.
  public func explain() throws -> String {
    guard case .explanation(let explanation) = try ask(.explain) else {
      throw TurretError.otherAnswer
    }
    return explanation.lines.joined(separator: "\n")
  }

  /// Returns a picture of the session so far, as SVG.
  public func plot() throws -> String {
    guard case .picture(let svg) = try ask(.plot) else { throw TurretError.otherAnswer }
    return svg
  }

  /// Returns the session so far as a trace, which `sentrybench verify` and `plot` read.
  public func trace() throws -> String {
    guard case .trace(let text) = try ask(.trace) else { throw TurretError.otherAnswer }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the smallest session that breaks one of the rules as the session so far does. See
  /// `Turret.shrink`.
  public func shrink(_ rules: SessionRule...) throws -> String {
    try SmallestSession.find(in: try trace(), breaking: rules, on: source, open: open)
  }

  private var files: SessionFiles? {
    guard let trace = try? trace() else { return nil }
    return SessionFiles(trace: trace, explanation: try? explain(), picture: try? plot())
  }

  private func ask(_ request: APIRequest) throws -> APIAnswer {
    guard !isOver else { throw TurretError("the session is over") }
    return try TurretError.translating { try host.ask(request) }
  }
}
