import Devices
package import Engine
import Sketches
import Testing

extension StatedSession {
  /// What a test states about its session. Throws `TurretError` if there is no such fault.
  package init(
    _ firmware: Firmware?, baud: Int?, pulses: Bool, faults: [String], seed: UInt64?
  ) throws(TurretError) {
    self.init()
    title = Test.current.map { $0.displayName ?? $0.name }
    self.firmware = firmware?.sketch
    self.baud = baud
    showsPulses = pulses
    self.seed = seed
    for fault in faults {
      do throws(SpecError) {
        try self.faults.add(FaultSpec.parse(fault))
      } catch {
        throw TurretError("\(fault): \(error.description)")
      }
    }
  }
}

extension SessionPlan {
  /// Throws `TurretError` if a board cannot have this speed.
  package func check() throws(TurretError) {
    let bauds = SerialLine.bauds
    guard bauds.contains(baud) else {
      throw TurretError(
        "expected a speed from \(bauds.lowerBound) to \(bauds.upperBound) baud, found \(baud)")
    }
  }
}
