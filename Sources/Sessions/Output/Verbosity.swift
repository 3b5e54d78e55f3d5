import Devices

/// How much a command prints on standard error.
package enum Verbosity: Hashable, Sendable {
  /// Errors and results only.
  case quiet
  case normal
  /// Also details that are rarely needed.
  case verbose
}

extension Verbosity {
  /// Reports what was assumed when the file at `path` was read.
  package func report(_ notes: [String], about path: String) {
    guard self != .quiet else { return }
    for note in notes { Console.report("\(path): \(note)") }
  }

  /// Reports the device's remarks about its program.
  func report(_ device: some Device) {
    guard self != .quiet else { return }
    for remark in device.remarks { Console.report(remark) }
  }
}
