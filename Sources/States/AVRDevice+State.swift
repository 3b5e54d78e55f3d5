import AVR
package import ChipDevice
package import Turret

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
