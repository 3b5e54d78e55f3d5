import Aim
import Gateway
import TurretProtocol

extension Command {
  /// The wire command for a frame's result.
  init(_ command: TurretCommand) {
    self = command.degrees.map { .aim(UInt8($0)) } ?? .lost
  }
}
