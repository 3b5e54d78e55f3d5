package import Turret

/// How the network's clients are dealt with.
package struct DoorPlan: Hashable, Sendable {
  package var firmware: Firmware
  /// The board's speed, bits a second.
  package var baud: Int
  /// Whether bytes are passed on as they are.
  package var isRaw = false
  package var control = ControlPolicy.first
  package var onDisconnect = DisconnectAction.hold
  /// Whether clients without a token are let in though that is not safe; `/health` says so.
  package var allowsAnonymous = false
  /// Whether it is told when clients come and go. The bench's own sender is always there.
  package var announcesClients = true

  package init(firmware: Firmware, baud: Int) {
    self.firmware = firmware
    self.baud = baud
  }
}
