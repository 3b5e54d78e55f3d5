#if os(Linux)
  import SystemPackage

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  extension PseudoTerminal {
    /// `struct termios2` of asm-generic/termbits.h: four words of flags, the discipline, 19 control
    /// characters, then the two speeds in bits a second.
    private static let settingsSize = 44
    private static let outputSpeedOffset = 40
    /// TCGETS2, `_IOR('T', 0x2A, struct termios2)`. glibc's `termios` has only codes of speeds, so
    /// none for one that has no name, such as 250 000.
    private static let getSettings: UInt = 0x802C_542A

    /// TIOCSPTLCK, `_IOW('T', 0x31, int)`, and TIOCGPTN, `_IOR('T', 0x30, unsigned int)`: what
    /// `unlockpt` and `ptsname` call.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    static func openMaster() throws(Errno) -> Descriptor {
      let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard number >= 0 else { throw Errno(rawValue: errno) }
      let master = Descriptor(FileDescriptor(rawValue: number))
      var unlocked: CInt = 0
      guard ioctl(number, setLock, &unlocked) == 0 else { throw Errno(rawValue: errno) }
      return master
    }

    static func senderEnd(of master: FileDescriptor) throws(Errno) -> String {
      var number: CUnsignedInt = 0
      guard ioctl(master.rawValue, getNumber, &number) == 0 else { throw Errno(rawValue: errno) }
      return "/dev/pts/\(number)"
    }

    /// The speed, in bits a second, of either end's descriptor.
    static func baud(of descriptor: FileDescriptor) -> Int? {
      var settings = [UInt8](repeating: 0, count: settingsSize)
      let speed = settings.withUnsafeMutableBytes { bytes -> UInt32? in
        guard ioctl(descriptor.rawValue, getSettings, bytes.baseAddress!) == 0 else { return nil }
        return bytes.loadUnaligned(fromByteOffset: outputSpeedOffset, as: UInt32.self)
      }
      guard let speed, speed > 0 else { return nil }
      return Int(speed)
    }

    /// The code of a speed; nil for one that has no name.
    static func speedCode(of baud: Int) -> speed_t? {
      let codes: [Int: Int32] = [
        50: B50, 75: B75, 110: B110, 134: B134, 150: B150, 200: B200, 300: B300, 600: B600,
        1_200: B1200, 1_800: B1800, 2_400: B2400, 4_800: B4800, 9_600: B9600, 19_200: B19200,
        38_400: B38400, 57_600: B57600, 115_200: B115200, 230_400: B230400, 460_800: B460800,
        500_000: B500000, 576_000: B576000, 921_600: B921600, 1_000_000: B1000000,
        1_152_000: B1152000, 1_500_000: B1500000, 2_000_000: B2000000,
      ]
      return codes[baud].map(speed_t.init)
    }
  }
#endif
