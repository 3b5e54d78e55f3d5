#if canImport(Darwin)
  import Darwin

  extension LineSpeed {
    /// Nil if the speed is 0 (hang up) or unknown. On Darwin the code of a speed is the speed
    /// itself.
    package static func of(_ descriptor: CInt) -> Int? {
      var settings = termios()
      guard tcgetattr(descriptor, &settings) == 0 else { return nil }
      let speed = Int(cfgetospeed(&settings))
      return speed > 0 ? speed : nil
    }

    /// Sets both directions at once, without waiting for pending output. Returns false, with the
    /// cause in `errno`, if that fails.
    package static func set(_ speed: Int, on descriptor: CInt) -> Bool {
      var settings = termios()
      guard let code = speed_t(exactly: speed), tcgetattr(descriptor, &settings) == 0 else {
        return false
      }
      return cfsetspeed(&settings, code) == 0 && tcsetattr(descriptor, TCSANOW, &settings) == 0
    }
  }
#endif
