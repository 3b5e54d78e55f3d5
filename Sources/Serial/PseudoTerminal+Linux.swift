#if os(Linux)
  import Platform
  import SystemPackage

  extension PseudoTerminal {
    /// TIOCSPTLCK, `_IOW('T', 0x31, int)`, and TIOCGPTN, `_IOR('T', 0x30, unsigned int)`, which
    /// `unlockpt` and `ptsname` use.
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
  }
#endif
