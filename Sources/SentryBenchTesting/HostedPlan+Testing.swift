import Devices
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
    let baud = baud ?? choice?.profile?.baud ?? source.findSpeed() ?? 9_600
    let bauds = SerialLine.bauds
    guard bauds.contains(baud) else {
      throw TurretError(
        "expected a speed from \(bauds.lowerBound) to \(bauds.upperBound) baud, found \(baud)")
    }
    let sketch = SessionSketch(on: source, firmware: firmware?.sketch, profile: choice)
    self.init(source: source, sketch: sketch)
    title = Test.current.map { $0.displayName ?? $0.name }
    self.profile = sketch.accepted(choice, on: source)
    self.baud = baud
    showsPulses = pulses
  }
}
