import Traces
package import Turret

/// What is required of the sender's process.
package enum SenderRule: Hashable, Sendable, CustomStringConvertible {
  /// Its exit status.
  case exit(Int)
  /// Its standard error, without the last line break.
  case standardError(TextPattern)
  /// It ends without being stopped, at most this long after it was started.
  case stops(Interval)

  package var description: String {
    switch self {
    case .exit(let status): "exit \(status)"
    case .standardError(let pattern): "stderr \(pattern)"
    case .stops(let length): "stops within \(String(readable: length))"
    }
  }
}
