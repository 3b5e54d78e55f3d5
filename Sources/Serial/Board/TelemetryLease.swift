import Synchronization

/// Telemetry that the bench has turned on is turned off again with the last reference, unless the
/// sender wants it.
final class TelemetryLease: Sendable {
  private let port: SerialPort
  private let isKept = Atomic(false)

  init(_ port: SerialPort) { self.port = port }

  deinit {
    // One byte always finds room, or the port is gone.
    if !isKept.load(ordering: .relaxed) { _ = try? port.write([UInt8(ascii: "V")]) }
  }

  func keep(_ isKept: Bool) { self.isKept.store(isKept, ordering: .relaxed) }
}
