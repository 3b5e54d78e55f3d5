#if os(Linux)
  import Platform

  extension LineSpeed {
    /// `struct termios2` of asm-generic/termbits.h: four words of flags, the discipline, 19 control
    /// characters, then the two speeds in bits a second.
    private static let settingsSize = 44
    private static let controlFlagsOffset = 8
    private static let inputSpeedOffset = 36
    private static let outputSpeedOffset = 40
    /// TCGETS2, `_IOR('T', 0x2A, struct termios2)`, and TCSETS2, `_IOW('T', 0x2B, struct
    /// termios2)`. glibc's `termios` has only codes of speeds, so none for one that has no name,
    /// such as 250 000.
    private static let getSettings: UInt = 0x802C_542A
    private static let setSettings: UInt = 0x402C_542B
    /// CBAUD, where the code of a speed stands, and CIBAUD, the same for the input: 0 is as the
    /// output.
    private static let codes: UInt32 = 0o10017 | 0o10017 << 16
    /// BOTHER: the speed is the one in bits a second.
    private static let hasNoCode: UInt32 = 0o10000

    /// Nil where it is 0 (hang up) or cannot be had.
    static func of(_ descriptor: CInt) -> Int? {
      guard
        let speed = settings(descriptor)?.withUnsafeBytes({
          $0.loadUnaligned(fromByteOffset: outputSpeedOffset, as: UInt32.self)
        })
      else { return nil }
      return speed > 0 ? Int(speed) : nil
    }

    /// Sets both directions at once, without waiting for what is still to go out; false with the
    /// cause in `errno` where that fails.
    static func set(_ speed: Int, on descriptor: CInt) -> Bool {
      guard let bits = UInt32(exactly: speed), bits > 0 else {
        errno = EINVAL
        return false
      }
      return setByName(bits, on: descriptor) || setByNumber(bits, on: descriptor)
    }

    /// Programs that know codes only (stty shows others as 0) are to see that of a usual speed.
    /// glibc finds it; a C library that does not has the speed set by its number, which is as good
    /// for others.
    private static func setByName(_ speed: UInt32, on descriptor: CInt) -> Bool {
      var settings = termios()
      guard tcgetattr(descriptor, &settings) == 0, cfsetspeed(&settings, speed_t(speed)) == 0,
        // Otherwise the number was taken for a code: 13 is that of 9 600.
        cfgetospeed(&settings) != speed_t(speed)
      else { return false }
      return tcsetattr(descriptor, TCSANOW, &settings) == 0
    }

    private static func setByNumber(_ speed: UInt32, on descriptor: CInt) -> Bool {
      guard var settings = settings(descriptor) else { return false }
      return settings.withUnsafeMutableBytes { bytes in
        let flags = bytes.loadUnaligned(fromByteOffset: controlFlagsOffset, as: UInt32.self)
        bytes.storeBytes(
          of: flags & ~codes | hasNoCode, toByteOffset: controlFlagsOffset, as: UInt32.self)
        bytes.storeBytes(of: speed, toByteOffset: inputSpeedOffset, as: UInt32.self)
        bytes.storeBytes(of: speed, toByteOffset: outputSpeedOffset, as: UInt32.self)
        return ioctl(descriptor, setSettings, bytes.baseAddress!) == 0
      }
    }

    private static func settings(_ descriptor: CInt) -> [UInt8]? {
      var settings = [UInt8](repeating: 0, count: settingsSize)
      let status = settings.withUnsafeMutableBytes {
        ioctl(descriptor, getSettings, $0.baseAddress!)
      }
      return status == 0 ? settings : nil
    }
  }
#endif
