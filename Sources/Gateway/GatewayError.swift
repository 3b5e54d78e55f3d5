/// Why the network side does not work: a code, and a sentence a person can act on.
package struct GatewayError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// What was asked for is not safe, or makes no sense.
    case usage
    /// A file is not what it should be.
    case malformed
    /// A file is not there.
    case noInput
    /// The address cannot be had, or nobody answers there.
    case unavailable
    /// Reading or writing failed.
    case inputOutput
  }

  package var code: Code
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
