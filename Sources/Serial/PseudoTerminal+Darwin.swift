#if canImport(Darwin)
  import Darwin
  import SystemPackage

  extension PseudoTerminal {
    static func openMaster() throws(Errno) -> Descriptor {
      let number = posix_openpt(O_RDWR | O_NOCTTY)
      guard number >= 0 else { throw Errno(rawValue: errno) }
      let master = Descriptor(FileDescriptor(rawValue: number))
      guard grantpt(number) == 0, unlockpt(number) == 0 else { throw Errno(rawValue: errno) }
      return master
    }

    static func senderEnd(of master: FileDescriptor) throws(Errno) -> String {
      guard let name = ptsname(master.rawValue) else { throw Errno(rawValue: errno) }
      return String(cString: name)
    }
  }
#endif
