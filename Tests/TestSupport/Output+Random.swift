package import Sketches

extension Output {
  /// Any output of a kind that a trace can contain.
  package static func random(
    _ kind: Kind, using generator: inout some RandomNumberGenerator
  ) -> Output {
    switch kind {
    case .servo:
      .servo(
        degrees: .random(in: 0...180, using: &generator),
        microseconds: .random(in: .min ... .max, using: &generator),
        on: Bool.random(using: &generator) ? nil : .random(using: &generator))
    case .pulse:
      .pulse(
        microseconds: .random(in: 0...3_000, using: &generator),
        on: Bool.random(using: &generator) ? nil : .random(using: &generator))
    case .tone:
      .tone(
        hertz: .random(in: 0...(Bool.random(using: &generator) ? 0.001 : 65_535), using: &generator)
      )
    case .transmit: .transmit(.random(in: .min ... .max, using: &generator))
    case .lost:
      .lost(
        .random(in: .min ... .max, using: &generator),
        Loss.allCases.randomElement(using: &generator) ?? .booting)
    case .pin: .pin(.random(using: &generator), isHigh: .random(using: &generator))
    case .attached:
      .attached(
        microseconds: .random(in: .min ... .max, using: &generator), on: .random(using: &generator))
    case .detached: .detached(.random(using: &generator), isHigh: .random(using: &generator))
    }
  }
}

extension BoardPin {
  /// Any pin of the board, or any channel of a servo driver.
  package static func random(using generator: inout some RandomNumberGenerator) -> BoardPin {
    let channel = BoardPin(
      driver: .random(in: driverAddresses, using: &generator),
      channel: .random(in: 0...15, using: &generator))
    let pin = BoardPin(arduino: .random(in: 0...19, using: &generator))!
    return Bool.random(using: &generator) ? pin : channel ?? pin
  }
}
