import Turret

extension SenderSettings {
  /// For a detector: pictures are much longer than commands, and it is usually on this computer, so
  /// that attempts to connect cost little.
  package static var detector: SenderSettings {
    var settings = SenderSettings()
    settings.kernelBufferBytes = nil
    settings.backOffMost = .seconds(2)
    return settings
  }
}
