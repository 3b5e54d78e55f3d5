import Engine
import Sessions
import Sketches

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

  func files() async -> SessionFiles? {
    guard let trace = try? await trace() else { return nil }
    return SessionFiles(trace: trace, explanation: try? await explain(), picture: try? await plot())
  }
}

extension TurretError {
  static let otherAnswer = TurretError("unexpected answer from the bench")
}

extension APIRequest {
  /// Throws `TurretError` if there are no bytes, or a session cannot have such a time.
  static func sending(_ bytes: [UInt8], at time: Duration?) throws(TurretError) -> APIRequest {
    guard !bytes.isEmpty else { throw TurretError("expected at least one byte to send") }
    return .send(bytes, at: try instant(time))
  }
}

extension APIRequest {
  static func setting(
    _ pin: String, _ isHigh: Bool, at time: Duration?
  ) throws(TurretError) -> APIRequest {
    .input(.level(try boardPin(pin), isHigh), at: try instant(time))
  }

  static func applying(
    _ volts: Double, to pin: String, at time: Duration?
  ) throws(TurretError) -> APIRequest {
    let range = BoardInput.voltages
    let microvolts = (volts * 1e6).rounded()
    guard microvolts >= Double(range.lowerBound), microvolts <= Double(range.upperBound) else {
      throw TurretError("expected volts from 0 to 5, found \(volts)")
    }
    guard let pin = BoardPin(analogName: pin) else {
      throw TurretError("expected a pin of the board, D0 to D13 or A0 to A7, found \"\(pin)\"")
    }
    return .input(
      .voltage(pin, microvolts: Int32(microvolts)), at: try instant(time))
  }

  private static func boardPin(_ name: String) throws(TurretError) -> BoardPin {
    guard let pin = BoardPin(name: name), pin.arduino != nil else {
      throw TurretError("expected a pin of the board, D0 to D13 or A0 to A5, found \"\(name)\"")
    }
    return pin
  }

  private static func instant(_ time: Duration?) throws(TurretError) -> Instant? {
    try time.map { (time) throws(TurretError) in try Instant(time) }
  }
}

extension [UInt8] {
  /// Throws `TurretError` if a character is not a byte.
  init(bytesOf text: String) throws(TurretError) {
    self = []
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else {
        throw TurretError("expected characters U+0000 to U+00FF to send, found \"\(scalar)\"")
      }
      append(byte)
    }
  }
}
