#if os(Linux)
  extension LineSpeed {
    /// The size of `struct termios2` in asm-generic/termbits.h: four words of flags, the
    /// discipline, 19 control characters, then the two speeds in bits a second.
    private static let settingsSize = 44
    private static let controlFlagsOffset = 8
    private static let inputSpeedOffset = 36
    private static let outputSpeedOffset = 40
    /// TCGETS2, `_IOR('T', 0x2A, struct termios2)`, and TCSETS2, `_IOW('T', 0x2B, struct
    /// termios2)`. glibc's `termios` can represent only speeds that have a code, so not 250 000,
    /// for example.
    private static let getSettings: UInt = 0x802C_542A
    private static let setSettings: UInt = 0x402C_542B
    /// CBAUD, the bits for the code of a speed, and CIBAUD, the same for the input, where 0 means
    /// the speed of the output.
    private static let codes: UInt32 = 0o10017 | 0o10017 << 16
    /// BOTHER: the speed is given in bits a second.
    private static let hasNoCode: UInt32 = 0o10000

    /// Nil if the speed is 0 (hang up) or unknown.
    package static func of(_ descriptor: CInt) -> Int? {
      guard
        let speed = settings(descriptor)?.withUnsafeBytes({
          $0.loadUnaligned(fromByteOffset: outputSpeedOffset, as: UInt32.self)
        })
      else { return nil }
      return speed > 0 ? Int(speed) : nil
    }

    /// Sets both directions at once, without waiting for pending output. Returns false, with the
    /// cause in `errno`, if that fails.
    package static func set(_ speed: Int, on descriptor: CInt) -> Bool {
      guard let bits = UInt32(exactly: speed), bits > 0 else {
        errno = EINVAL
        return false
      }
      return setByName(bits, on: descriptor) || setByNumber(bits, on: descriptor)
    }

    /// Sets a standard speed by its code, for programs that know only codes (stty shows others as
    /// 0). glibc looks up the code. With a C library that does not, the speed is set by its number,
    /// which other programs handle just as well.
    private static func setByName(_ speed: UInt32, on descriptor: CInt) -> Bool {
      var settings = termios()
      guard tcgetattr(descriptor, &settings) == 0, cfsetspeed(&settings, speed_t(speed)) == 0,
        // If they are equal, the number was taken for a code: 13 is the code of 9 600.
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
