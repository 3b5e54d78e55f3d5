import Sessions
import Turret

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
  static let otherAnswer = TurretError("expected another answer of the bench")
}

extension APIRequest {
  /// Throws `TurretError` if nothing can be sent like this.
  static func sending(_ bytes: [UInt8], at time: Duration?) throws(TurretError) -> APIRequest {
    guard !bytes.isEmpty else { throw TurretError("expected at least one byte to send") }
    return .send(bytes, at: try time.map { (time) throws(TurretError) in try Instant(time) })
  }
}

extension [UInt8] {
  /// Throws `TurretError` if a character is no byte.
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
