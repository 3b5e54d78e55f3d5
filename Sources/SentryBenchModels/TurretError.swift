import Devices
import Engine

/// The reason why a test cannot continue: the bench has ended, or cannot do what the test requests.
public struct TurretError: Error, CustomStringConvertible, Sendable {
  /// What was expected, as a sentence.
  public let description: String

  package init(_ description: String) { self.description = description }
}

extension TurretError {
  package static let otherAnswer = TurretError("unexpected answer from the bench")

  /// Returns the result of `body`. The errors of a session become this one.
  package static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let mistake as APIRequest.Mistake {
      throw TurretError(mistake.message)
    } catch let error as DeviceError {
      throw TurretError(error.description)
    }
  }
}
