#if canImport(Darwin)
  import Darwin

  extension LineSpeed {
    /// Nil where it is 0 (hang up) or cannot be had. On Darwin the code of a speed is the speed.
    static func of(_ descriptor: CInt) -> Int? {
      var settings = termios()
      guard tcgetattr(descriptor, &settings) == 0 else { return nil }
      let speed = Int(cfgetospeed(&settings))
      return speed > 0 ? speed : nil
    }

    /// Sets both directions at once, without waiting for what is still to go out; false with the
    /// cause in `errno` where that fails.
    static func set(_ speed: Int, on descriptor: CInt) -> Bool {
      var settings = termios()
      guard let code = speed_t(exactly: speed), tcgetattr(descriptor, &settings) == 0 else {
        return false
      }
      return cfsetspeed(&settings, code) == 0 && tcsetattr(descriptor, TCSANOW, &settings) == 0
    }
  }
#endif
