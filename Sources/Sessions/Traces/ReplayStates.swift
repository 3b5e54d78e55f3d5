import Devices
import Files
import States
import Traces
package import Turret

/// Where a replay begins and ends, if not with its trace, and the states of the device there.
package struct ReplayStates: Sendable {
  /// When the replay ends; nil if with its trace.
  let end: Instant?
  /// The file of the state to continue from; nil for the trace's start.
  let source: String?
  /// Where to write the state at the end; nil for nowhere.
  let target: String?

  package init(end: Instant? = nil, from source: String? = nil, to target: String? = nil) {
    self.end = end
    self.source = source
    self.target = target
  }

  /// Checks the header against the options.
  func check(_ header: Header, against state: StateFile?) throws {
    if let end, let last = header.end, end > last {
      throw UsageError(
        "--until is after the trace's end, which is at \(String(shortest: last - .zero)) s.")
    }
    if let end, let state, end <= state.time {
      throw UsageError(
        "--until is not after the state, which was saved at "
          + "\(String(shortest: state.time - .zero)) s.")
    }
  }

  /// Reads the state to continue from; nil if none was named.
  func read(for header: Header, _ firmware: Firmware) throws(TraceError) -> StateFile? {
    guard let path = source else { return nil }
    let text = try InputFile.contents(of: path, wanting: "a state")
    let state = try StateFile(text: text, path: path)
    guard state.firmware == firmware else {
      throw state.refusal(
        "expected a state of \(firmware.rawValue), found one of \(state.firmware.rawValue); "
          + "--firmware \(state.firmware.rawValue) replays the trace on it")
    }
    guard state.baud == header.baud else {
      throw state.refusal(
        "expected the state of a board at \(header.baud) baud, found \(state.baud) baud")
    }
    return state
  }

  /// Writes the state of the device at the end.
  func write(_ device: some Device, _ firmware: Firmware, _ header: Header) throws {
    guard let path = target, let end else { return }
    guard let device = device as? any RestorableDevice else {
      throw UsageError("--save-state requires a device whose state can be read.")
    }
    var file = try OutputFile(path)
    try file.write(try StateFile(device, firmware, baud: header.baud, at: end).text)
    try file.finish()
  }
}
