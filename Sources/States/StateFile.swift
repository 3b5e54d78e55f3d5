package import Sketches
package import Traces

/// A device at an instant, as a file: one JSON object on one line, the same on every machine.
///
///     {"format": "sentry-state", "version": 4, "checksum": "...", "state": [...]}
///
/// The list has the names and values of the stored properties of this type, and then of those of
/// the device, as `StateEncoder` writes them. It is read by the version of the program that has
/// written it, and by no other.
package struct StateFile: Sendable {
  package static let format = "sentry-state"
  /// Increased when the meaning of a stored property changes. If only the properties change, an
  /// older list is refused because of their names.
  package static let version = "4"

  private struct Head: Codable {
    var device: String
    var firmware: Firmware
    @LineSpeed var baud: Int
    var time: Instant
  }

  private let head: Head
  private let state: [JSONValue]
  /// Used in messages.
  private let path: String

  package var firmware: Firmware { head.firmware }
  /// The board's speed in bits a second.
  package var baud: Int { head.baud }
  /// The state's instant. Everything due by then has been done, and inputs up to then have arrived.
  package var time: Instant { head.time }

  package init(
    _ device: any RestorableDevice, _ firmware: Firmware, baud: Int, at time: Instant
  ) throws {
    head = Head(device: type(of: device).kind, firmware: firmware, baud: baud, time: time)
    let encoder = StateEncoder()
    try encoder.encode(head)
    try encoder.encode(device.state)
    state = encoder.items
    path = ""
  }

  package var text: [UInt8] { Self.text(state) }

  /// The file with a list.
  package static func text(_ state: [JSONValue]) -> [UInt8] {
    let members: [JSONValue.Member] = [
      .init("format", .string(format)), .init("version", .number(version)),
      .init("checksum", checksum(.array(state))), .init("state", .array(state)),
    ]
    return Array((JSONValue.object(members).text + "\n").utf8)
  }

  private static func checksum(_ state: JSONValue) -> JSONValue {
    .string(String(state.text.utf8.fingerprint, radix: 16, digits: 16))
  }

  package init(text: [UInt8], path: String) throws(TraceError) {
    let value = try JSONValue.contents(of: text, path: path)
    let (format, version) = (value["format"], value["version"])
    guard format == .string(Self.format), version == .number(Self.version) else {
      throw Self.refusal(
        "expected format \"\(Self.format)\" version \(Self.version), found format "
          + "\(format?.noun ?? "none") version \(version?.noun ?? "none"): "
          + "save the state again with this version", path)
    }
    guard let list = value["state"], case .array(let state) = list,
      value["checksum"] == Self.checksum(list)
    else { throw Self.damage(path) }
    self.path = path
    self.state = state
    do { head = try StateDecoder(state).decode(Head.self) } catch { throw Self.damage(path) }
    guard head.time >= .zero, head.time.nanoseconds % 1_000 == 0 else { throw damage }
  }

  package func state<Device: RestorableDevice>(
    of _: Device.Type
  ) throws(TraceError) -> Device.State {
    guard head.device == Device.kind else {
      throw refusal(
        "expected a state of --device \(Device.kind), found one of --device "
          + PlainText.of(head.device, upTo: PlainText.quotedMax))
    }
    let decoder = StateDecoder(state)
    do {
      _ = try decoder.decode(Head.self)
      return try decoder.decode(Device.State.self)
    } catch { throw damage }
  }

  /// Returns the error for a state that does not fit the request.
  package func refusal(_ message: String) -> TraceError { Self.refusal(message, path) }
  /// The error for a state that no device can have.
  package var damage: TraceError { Self.damage(path) }

  private static func refusal(_ message: String, _ path: String) -> TraceError {
    TraceError(.malformed, path: path, message)
  }

  private static func damage(_ path: String) -> TraceError {
    refusal(
      "the file is damaged, or another build has written it: save the state again", path)
  }
}
