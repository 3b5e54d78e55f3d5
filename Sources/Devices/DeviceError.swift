/// Why a device does not exist or no longer works.
package struct DeviceError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The device is missing, or is not the expected one.
    case unavailable
    /// The device has disappeared. It may return.
    case gone
    /// Reading or writing failed.
    case inputOutput
    /// The session uses something that the device does not have.
    case unsuitable
    /// Its program crashed and cannot continue.
    case crashed
  }

  package var code: Code
  /// A sentence the user can act on, with the device's name.
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
