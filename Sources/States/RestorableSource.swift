import AVR
package import ChipDevice
package import Devices
package import Sketches
package import Traces

/// Creates devices that can be restored from a state file.
package protocol RestorableSource: DeviceSource where Made: RestorableDevice {
  /// What a device needs that its state file does not contain.
  var context: [CodingUserInfoKey: Any] { get }
}

extension RestorableSource {
  /// Restores the device of a state file.
  package func restore(_ state: StateFile, showsPulses: Bool) throws(TraceError) -> Made {
    var device = try state.restore(as: Made.self, showsPulses: showsPulses, in: context)
    device.watch(pins)
    return device
  }
}

extension ModelSource: RestorableSource {
  package var context: [CodingUserInfoKey: Any] { [:] }
}

extension AVRSource: RestorableSource {
  package var context: [CodingUserInfoKey: Any] { [AVRDevice.programKey: program] }
}

/// A device whose state at an instant can be written to a file, read again, and continued.
package protocol RestorableDevice: RealTimeDevice, Codable {
  /// The device's name in a state file.
  static var kind: String { get }
  /// Called once after the device has been read: time continues at `instant`, and the board's port
  /// runs at `baud` bits a second. Returns false if no such device can be in that state then. Must
  /// not trap, whatever was read.
  ///
  /// Whether pulses are shown is not part of the state.
  mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool
}

extension Model: RestorableDevice {
  package static let kind = "model"
}

extension AVRDevice: RestorableDevice {
  package static let kind = "avr"

  /// The program that the state's chip runs.
  static let programKey = CodingUserInfoKey(rawValue: "program")!

  package init(from decoder: any Decoder) throws {
    guard let program = decoder.userInfo[Self.programKey] as? AVRProgram else {
      preconditionFailure("a state is read for a program")
    }
    let state = try AVRDeviceState(from: decoder)
    if let message = state.mismatch(with: program) { throw StateRefusal(message: message) }
    guard let device = AVRDevice(program, state) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [Key.chip], debugDescription: "impossible chip state"))
    }
    self = device
  }

  /// The part of the state that a message names.
  private enum Key: CodingKey { case chip }

  package func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }

  package mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool {
    resume(at: instant, baud: baud, showsPulses: showsPulses)
  }
}
