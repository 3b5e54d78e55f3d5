import ArgumentParser
import Devices
import Files
import Sessions
import States
import Traces
import Turret

/// Options for the start and the end of a replay, if they are not the trace's.
struct StateOptions: ParsableArguments {
  @Option(
    help: "End the replay at this time of the session, for example 2.5s.",
    transform: TimeArgument.init)
  var until: TimeArgument?

  @Option(
    help: """
      Write the state of the device at that time to this file, for --from-state. Requires --until.
      """)
  var saveState: String?

  @Option(
    help: """
      Continue from a state written by --save-state. Events of the trace up to that time are \
      skipped, since the state contains their effects. Times remain those of the session; the \
      header contains "from".
      """)
  var fromState: String?

  func validate() throws {
    if saveState != nil && until == nil {
      throw ValidationError("--save-state requires --until, which gives the time.")
    }
    if let until, until.interval.nanoseconds % 1_000 != 0 {
      throw ValidationError("--until requires whole microseconds, the resolution of outputs.")
    }
  }

  /// When the replay ends; nil if with its trace.
  var end: Instant? { until.map { .zero + $0.interval } }

  var isGiven: Bool { saveState != nil || fromState != nil }

  /// Checks the header against the options.
  func check(_ header: Header, against state: StateFile?) throws {
    if let end, let last = header.end, end > last {
      throw ValidationError(
        "--until is after the trace's end, which is at \(String(shortest: last - .zero)) s.")
    }
    if let end, let state, end <= state.time {
      throw ValidationError(
        "--until is not after the state, which is of \(String(shortest: state.time - .zero)) s.")
    }
  }

  /// Reads the state to continue from; nil if none was named.
  func read(for header: Header, _ firmware: Firmware) throws(TraceError) -> StateFile? {
    guard let fromState else { return nil }
    let text = try InputFile.contents(of: fromState, wanting: "a state")
    let state = try StateFile(text: text, path: fromState)
    guard state.firmware == firmware else {
      throw state.refusal(
        "expected the state of a \(firmware.rawValue), found that of a \(state.firmware.rawValue); "
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
    guard let saveState, let end else { return }
    guard let device = device as? any RestorableDevice else {
      throw ValidationError("--save-state requires a device whose state can be read.")
    }
    var file = try OutputFile(saveState)
    try file.write(try StateFile(device, firmware, baud: header.baud, at: end).text)
    try file.finish()
  }
}
