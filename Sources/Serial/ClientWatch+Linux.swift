#if os(Linux)
  import Platform
  import SystemPackage

  extension ClientWatch {
    static func openSource(_ path: String) throws(Errno) -> FileDescriptor {
      let number = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
      guard number >= 0 else { throw Errno(rawValue: errno) }
      let events = UInt32(IN_OPEN) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CLOSE_NOWRITE)
      guard inotify_add_watch(number, path, events) >= 0 else {
        let cause = Errno(rawValue: errno)
        close(number)
        throw cause
      }
      return FileDescriptor(rawValue: number)
    }

    /// Returns the events since the last call, in order: true for an opening, false for a closing.
    static func readOpenings(_ descriptor: FileDescriptor) -> [Bool] {
      var openings: [Bool] = []
      // Events for a watched file itself have no name after them.
      let size = MemoryLayout<inotify_event>.size
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size * 256, alignment: 8)
      defer { buffer.deallocate() }
      while let count = try? descriptor.read(into: buffer), count >= size {
        for offset in stride(from: 0, through: count - size, by: size) {
          let mask = buffer.load(fromByteOffset: offset, as: inotify_event.self).mask
          if mask & UInt32(IN_OPEN) != 0 { openings.append(true) }
          if mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 { openings.append(false) }
        }
      }
      return openings
    }
  }
#endif
