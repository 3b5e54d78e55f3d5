package import Sketches
package import Traces

/// A device at an instant, as a file: one JSON object on one line, the same on every machine.
///
///     {"format": "sentry-state", "version": 2, "device": "model", "firmware": "classic",
///      "baud": 9600, "time": 2.5, "state": {...}}
///
/// The content of `state` is defined by the device: its stored properties by name. Renaming one
/// requires a new version.
package struct StateFile: Sendable {
  package static let format = "sentry-state"
  package static let version = "2"

  /// The kind of device.
  package let device: String
  package let firmware: Firmware
  /// The board's speed in bits a second.
  package let baud: Int
  /// The state's instant. Everything due by then has been done, and inputs up to then have arrived.
  package let time: Instant
  private let state: JSONValue
  /// Used in messages.
  private let path: String

  /// Saves the state of a device at an instant.
  package init(
    _ device: any RestorableDevice, _ firmware: Firmware, baud: Int, at time: Instant
  ) throws {
    self.device = Swift.type(of: device).kind
    self.firmware = firmware
    self.baud = baud
    self.time = time
    state = try StateEncoder.value(of: device)
    path = ""
  }

  package var text: [UInt8] {
    var text: [UInt8] = []
    let members: [JSONValue.Member] = [
      .init("format", .string(Self.format)), .init("version", .number(Self.version)),
      .init("device", .string(device)), .init("firmware", .string(firmware.rawValue)),
      .init("baud", .number("\(baud)")),
      .init("time", .number(String(shortest: time - .zero))), .init("state", state),
    ]
    JSONValue.object(members).append(to: &text)
    text.append("\n")
    return text
  }

  /// Parses a state. `path` is used in messages.
  package init(text: [UInt8], path: String) throws(TraceError) {
    try self.init(JSONValue.contents(of: text, path: path), path)
  }

  private init(_ value: JSONValue, _ path: String) throws(TraceError) {
    func refuse(_ message: String) -> TraceError {
      TraceError(.malformed, path: path, message)
    }
    let (format, version) = (value["format"], value["version"])
    guard format == .string(Self.format), version == .number(Self.version) else {
      throw refuse(
        "expected format \"\(Self.format)\" version \(Self.version), "
          + "found format \(format?.noun ?? "none") version \(version?.noun ?? "none")")
    }
    guard case .string(let device) = value["device"] else { throw refuse("expected a device") }
    guard case .string(let word) = value["firmware"], let firmware = Firmware(rawValue: word) else {
      throw refuse("expected a firmware: \(Firmware.list)")
    }
    guard case .number(let number) = value["baud"], let baud = Int(number),
      SerialLine.bauds.contains(baud)
    else { throw refuse("expected a speed from 1 to \(SerialLine.bauds.upperBound)") }
    guard case .number(let seconds) = value["time"], let time = Interval(decimalSeconds: seconds),
      time.nanoseconds % 1_000 == 0
    else { throw refuse("expected a time in seconds, with at most six places") }
    guard let state = value["state"] else { throw refuse("expected a state") }
    self.path = path
    self.device = device
    self.firmware = firmware
    self.baud = baud
    self.time = .zero + time
    self.state = state
  }

  /// Restores the saved device. `context` supplies what it requires and the file does not contain.
  package func restore<Restored: RestorableDevice>(
    as type: Restored.Type, showsPulses: Bool, in context: [CodingUserInfoKey: Any] = [:]
  ) throws(TraceError) -> Restored {
    guard device == type.kind else {
      throw TraceError(
        .malformed, path: path,
        "expected a state of --device \(type.kind), found one of --device "
          + PlainText.of(device, upTo: PlainText.quotedMax))
    }
    var restored: Restored
    do {
      restored = try StateDecoder.read(type, from: state, in: context)
    } catch let error as StateRefusal {
      throw refusal(error.message)
    } catch {
      throw refusal(Self.sentence(error))
    }
    guard restored.resume(firmware, at: time, baud: baud, showsPulses: showsPulses) else {
      throw TraceError(
        .malformed, path: path,
        "the file is damaged: impossible state of a \(firmware.rawValue) sketch at "
          + "\(String(shortest: time - .zero)) s")
    }
    return restored
  }

  /// Returns the error for a state that does not fit the request.
  package func refusal(_ message: String) -> TraceError {
    TraceError(.malformed, path: path, message)
  }

  private static func sentence(_ error: any Error) -> String {
    let context: DecodingError.Context? =
      switch error as? DecodingError {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      case nil: nil
      @unknown default: nil
      }
    let path = (["state"] + (context?.codingPath ?? []).map(\.stringValue)).joined(separator: ".")
    return "the file is damaged at \(path): \(context?.debugDescription ?? "\(error)")"
  }
}

/// The error for a state file that is valid but belongs to another device.
struct StateRefusal: Error {
  /// A sentence for the user.
  var message: String
}
