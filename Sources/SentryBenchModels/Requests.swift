package import Engine
package import Sketches

extension APIRequest {
  /// Throws `TurretError` if there are no bytes, or a session cannot have such a time.
  package static func sending(_ bytes: [UInt8], at time: Duration?) throws(TurretError)
    -> APIRequest
  {
    guard !bytes.isEmpty else { throw TurretError("expected at least one byte to send") }
    return .send(bytes, at: try instant(time))
  }

  package static func setting(
    _ name: String, _ isHigh: Bool, at time: Duration?
  ) throws(TurretError) -> APIRequest {
    guard let pin = BoardPin(name: name), pin.arduino != nil else {
      throw TurretError("expected a pin of the board, D0 to D13 or A0 to A5, found \"\(name)\"")
    }
    return .input(.level(pin, isHigh), at: try instant(time))
  }

  package static func applying(
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
    return .input(.voltage(pin, microvolts: Int32(microvolts)), at: try instant(time))
  }

  package static func telling(
    _ part: String, _ value: Double, at time: Duration?
  ) throws(TurretError) -> APIRequest {
    guard let part = BoardPart(part) else {
      throw TurretError("expected a part, such as \(BoardPart.examples), found \"\(part)\"")
    }
    guard value >= 0, value <= Double(BoardInput.partMax) / 1e6 else {
      throw TurretError("expected a value from 0 to 1 000 000, found \(value)")
    }
    return .input(.part(part, millionths: Int64((value * 1e6).rounded())), at: try instant(time))
  }

  private static func instant(_ time: Duration?) throws(TurretError) -> Instant? {
    try time.map { (time) throws(TurretError) in try Instant(time) }
  }
}

extension [UInt8] {
  /// Throws `TurretError` if a character is not a byte.
  package init(bytesOf text: String) throws(TurretError) {
    self = []
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else {
        throw TurretError("expected characters U+0000 to U+00FF to send, found \"\(scalar)\"")
      }
      append(byte)
    }
  }
}

extension Interval {
  /// The longest session, about 31 years. A trace has no later time.
  private static let secondsMax: Int64 = 999_999_999

  /// Throws `TurretError` if the duration is negative or longer than any session.
  package init(_ duration: Duration) throws(TurretError) {
    let (seconds, attoseconds) = duration.components
    guard duration >= .zero, seconds <= Self.secondsMax else {
      throw TurretError("expected a time from 0 to \(Self.secondsMax) s, found \(duration)")
    }
    self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// Throws `TurretError` if the duration is shorter than a nanosecond or longer than any session.
  package init(positive duration: Duration) throws(TurretError) {
    try self.init(duration)
    guard self > .zero else { throw TurretError("expected a time over 0 s, found \(duration)") }
  }
}

extension Instant {
  /// The time since the session's start.
  package var duration: Duration { .nanoseconds(nanoseconds) }

  /// Throws `TurretError` if a session cannot have such a time.
  package init(_ duration: Duration) throws(TurretError) {
    self = (.zero + (try Interval(duration))).roundedUpToMicrosecond
  }
}
