import AVR
import ArgumentParser

/// The noise of the ADC, in steps, such as `0.5`.
struct NoiseArgument {
  /// In thousandths of a step.
  var thousandths: UInt32

  init(_ argument: String) throws {
    guard let steps = Double(argument), (0.001...100).contains(steps) else {
      throw ValidationError(
        "--adc-noise requires steps from 0.001 to 100, for example 0.5, found \"\(argument)\".")
    }
    thousandths = UInt32((steps * 1_000).rounded())
  }
}
