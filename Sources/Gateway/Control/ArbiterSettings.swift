package import Turret

/// How the arbiter handles the clients, and what it knows of the board.
package struct ArbiterSettings: Hashable, Sendable {
  package var firmware: Firmware
  /// The board's speed, in bits a second.
  package var baud: Int
  /// Whether bytes are passed on unchanged.
  package var isRaw = false
  package var control = ControlPolicy.first
  package var onDisconnect = DisconnectAction.hold
  /// Whether clients without a token are admitted although that is not safe. `/health` reports it.
  package var allowsAnonymous = false
  /// Whether it is reported when clients join and leave. The bench's own sender is always present.
  package var announcesClients = true

  package init(firmware: Firmware, baud: Int) {
    self.firmware = firmware
    self.baud = baud
  }
}
