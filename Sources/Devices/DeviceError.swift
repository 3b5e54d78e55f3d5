/// Why there is no device, or why it does not work any more.
package struct DeviceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// It is not there, or is not what it should be.
    case unavailable
    /// It was there and is gone; it may come back.
    case gone
    /// Reading or writing failed.
    case inputOutput
    /// The program on it did what no program should, and can't go on.
    case crashed
  }

  package var code: Code
  /// A sentence a person can act on, with the device's name.
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
