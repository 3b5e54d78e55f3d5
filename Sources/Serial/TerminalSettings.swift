import Platform

/// What a terminal was set to, to be put back.
struct TerminalSettings: Sendable {
  private let settings: termios
  /// Bits a second, for one that the settings have no code of.
  private let speed: Int?

  /// Nil where there are none to be had.
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
