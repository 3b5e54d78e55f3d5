import Devices
import Sessions
import Turret

extension HostedPlan {
  /// Throws `TurretError` if there cannot be such a session.
  init(
    _ firmware: Firmware, _ device: Device, baud: Int, pulses: Bool
  ) throws(TurretError) {
    let bauds = SerialLine.bauds
    guard bauds.contains(baud) else {
      throw TurretError(
        "expected a speed from \(bauds.lowerBound) to \(bauds.upperBound) baud, found \(baud)")
    }
    let source = try device.source()
    switch firmware {
    case .classic: self.init(source: source, firmware: .classic)
    case .buzzer: self.init(source: source, firmware: .buzzer)
    case .guarded: self.init(source: source, firmware: .guarded)
    }
    self.baud = baud
    showsPulses = pulses
  }
}
