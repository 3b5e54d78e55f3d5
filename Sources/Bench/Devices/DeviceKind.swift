package import Traces
import Turret

/// Which device a session runs on.
package enum DeviceKind: Hashable, Sendable {
  /// The Swift model in virtual time.
  case model

  /// The device for a session that begins as its header says, with a firmware's behaviour.
  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> any Device {
    switch self {
    case .model:
      switch firmware {
      case .classic: model(ClassicSketch.self, header, showsPulses)
      case .buzzer: model(BuzzerSketch.self, header, showsPulses)
      case .guarded: model(GuardedLoop.self, header, showsPulses)
      }
    }
  }

  private func model<S: Sketch>(
    _: S.Type, _ header: Header, _ showsPulses: Bool
  ) -> any Device {
    ModelDevice<S>(baud: header.baud, start: header.start, showsPulses: showsPulses)
  }
}
