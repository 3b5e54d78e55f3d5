import Platform

/// The settings of a terminal, for restoring them.
struct TerminalSettings: Sendable {
  private let settings: termios
  /// The speed in bits a second, if the settings have no code for it.
  private let speed: Int?

  /// Returns nil if they cannot be read.
  init?(_ descriptor: CInt) {
    guard let settings = PortSystem.settings(descriptor) else { return nil }
    self.settings = settings
    speed = LineSpeed.of(descriptor)
  }

  func restore(_ descriptor: CInt) {
    _ = PortSystem.set(settings, descriptor)
    if let speed { _ = LineSpeed.set(speed, on: descriptor) }
  }
}
