import Aim
import Gateway
import TurretProtocol

extension Command {
  /// What a frame leads to, as a command of the wire.
  init(_ command: TurretCommand) {
    self = command.degrees.map { .aim(UInt8($0)) } ?? .lost
  }
}
