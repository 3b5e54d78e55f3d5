import ArgumentParser
import Turret

/// A servo driver on the two-wire bus, such as `pca9685@0x40`.
struct DriverArgument {
  /// Its address on the bus.
  var address: UInt8

  init(_ argument: String) throws {
    guard let driver = BoardPin(name: argument + ":0")?.driver else {
      throw ValidationError(
        "--attach requires pca9685@ and an address from 0x40 to 0x7f, for example pca9685@0x40, "
          + "found \"\(argument)\".")
    }
    address = driver.address
  }
}
