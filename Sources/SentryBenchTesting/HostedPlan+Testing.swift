import Devices
import Engine
import Sessions
import Testing
import Turret

extension HostedPlan {
  /// Throws `TurretError` if such a session is not possible.
  init(
    _ firmware: Firmware?, _ device: Device, profile: String?, baud: Int?, pulses: Bool
  ) throws(TurretError) {
    var choice: ProfileChoice?
    do throws(Failure) {
      choice = try profile.map { (text) throws(Failure) in try ProfileChoice(text) }
    } catch {
      throw TurretError(error.message)
    }
    let source = try device.source()
    var stated = StatedSession()
    stated.title = Test.current.map { $0.displayName ?? $0.name }
    stated.firmware = firmware?.sketch
    stated.profile = choice
    stated.baud = baud
    stated.showsPulses = pulses
    self.init(stated, on: source)
    let baud = session.baud
    let bauds = SerialLine.bauds
    guard bauds.contains(baud) else {
      throw TurretError(
        "expected a speed from \(bauds.lowerBound) to \(bauds.upperBound) baud, found \(baud)")
    }
  }
}
