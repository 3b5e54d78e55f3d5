import ArgumentParser
import Turret

/// A pin of the emulated board, such as `D10`.
struct PinArgument {
  var pin: BoardPin

  /// Parses the pin of a servo.
  static func servo(_ argument: String) throws -> PinArgument {
    guard let pin = BoardPin(name: argument), pin.arduino != nil else {
      throw ValidationError(
        "--pin requires a number from 0 to 19, or a name such as D10 or A0, found "
          + "\"\(argument)\".")
    }
    return PinArgument(pin: pin)
  }

  /// Parses the pin of a receiver. D0 is the serial port's, and D1 its transmitter's.
  static func receiver(_ argument: String) throws -> PinArgument {
    guard let pin = BoardPin(name: argument), let number = pin.arduino, number > 1 else {
      throw ValidationError(
        "--rx-pin requires a pin, D2 to D13 or A0 to A5, found \"\(argument)\".")
    }
    return PinArgument(pin: pin)
  }

  /// Parses the pin of a transmitter. D0 is the serial port's receiver.
  static func transmitter(_ argument: String) throws -> PinArgument {
    guard let pin = BoardPin(name: argument), let number = pin.arduino, number > 0 else {
      throw ValidationError(
        "--tx-pin requires a pin, D1 to D13 or A0 to A5, found \"\(argument)\".")
    }
    return PinArgument(pin: pin)
  }
}
