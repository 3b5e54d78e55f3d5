import Platform
package import SystemPackage

/// The bench's end of a pty: what a sender writes to `path` can be read here, and the other way
/// round.
package struct PseudoTerminal: ~Copyable, Sendable {
  /// What one read brought.
  package enum Received: Hashable, Sendable {
    case bytes([UInt8])
    /// A sender changed its settings, or flushed; no bytes.
    case control
    /// Nothing yet.
    case nothing
    /// Nothing, and nobody has the sender's end open.
    case hungUp
  }

  /// The sender's end.
  package let path: String
  private let master: Descriptor
  /// The sender's end, open only while writers are held.
  private var holding: Descriptor?

  private init(_ master: consuming Descriptor, path: String) {
    self.master = master
    self.path = path
  }

  /// A pty in raw mode, as bytes are meant for a device and not for a person, at `baud` bits a
  /// second.
  package static func make(baud: Int) throws(SerialError) -> PseudoTerminal {
    let pty: PseudoTerminal
    do throws(Errno) {
      let master = try openMaster()
      let path = try senderEnd(of: master.value)
      pty = PseudoTerminal(master, path: path)
    } catch {
      throw SerialError(
        .unavailable, path: "/dev/ptmx", cause: error, "cannot allocate a pseudo-terminal")
    }
    let number = pty.descriptor.rawValue
    guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0, fcntl(number, F_SETFL, O_NONBLOCK) == 0 else {
      throw pty.settingsFailure()
    }
    // Only once it has been opened and closed does the master tell that nobody has it open.
    _ = try pty.openSenderEnd()
    try pty.makeRaw(baud: baud)
    return pty
  }

  /// Becomes readable when a sender has written something, changed its settings or gone.
  package var descriptor: FileDescriptor { master.value }

  /// Whether nobody has the sender's end open; not to be asked while writers are held.
  package var isHungUp: Bool {
    var state = pollfd(fd: descriptor.rawValue, events: 0, revents: 0)
    return poll(&state, 1, 0) == 1 && state.revents & Int16(POLLHUP) != 0
  }

  /// Takes at most `countMax` bytes, without waiting.
  package func read(upTo countMax: Int) throws(SerialError) -> Received {
    do {
      // In packet mode each read begins with a byte that says what it is.
      var packet = [UInt8](repeating: 0, count: countMax + 1)
      let count = try packet.withUnsafeMutableBytes { try descriptor.read(into: $0) }
      guard count > 0 else { return .nothing }
      guard packet[0] == UInt8(TIOCPKT_DATA) else { return .control }
      return count == 1 ? .nothing : .bytes(Array(packet[1..<count]))
    } catch {
      switch error as? Errno ?? .ioError {
      case .wouldBlock, .interrupted: return .nothing
      case .ioError: return .hungUp
      case let cause:
        throw SerialError(.inputOutput, path: path, cause: cause, "cannot be read")
      }
    }
  }

  /// Gives bytes to the sender that reads; returns how many there was room for.
  package func write(_ bytes: [UInt8]) throws(SerialError) -> Int {
    do {
      return try bytes.withUnsafeBytes { try descriptor.write($0) }
    } catch {
      switch error as? Errno ?? .ioError {
      case .wouldBlock, .interrupted, .ioError: return 0
      case let cause:
        throw SerialError(.inputOutput, path: path, cause: cause, "cannot be written")
      }
    }
  }

  /// Has writers wait, as a full port does: they block, or get EAGAIN. What the kernel has taken
  /// from them already (up to some 18 KB where one writes that much at once) still comes.
  package mutating func holdWriters() throws(SerialError) {
    guard holding == nil else { return }
    do throws(SerialError) {
      let end = try openSenderEnd()
      tcflow(end.value.rawValue, TCOOFF)
      holding = consume end
    } catch {
      // A sender may keep the port for itself (TIOCEXCL): then only the kernel's own limit holds
      // it.
      guard error.cause == .resourceBusy else { throw error }
    }
  }

  /// Lets writers go on.
  package mutating func releaseWriters() {
    guard let end = holding.take() else { return }
    tcflow(end.value.rawValue, TCOON)
  }

  package var isHolding: Bool { holding != nil }

  /// Throws away what no sender has read: the next one that opens the port must not get it.
  package func discardUnread() throws(SerialError) {
    do throws(SerialError) {
      let end = try openSenderEnd()
      tcflush(end.value.rawValue, TCIFLUSH)
    } catch {
      // The sender kept the port for itself, and on a pty that outlives it: there is no next one.
      guard error.cause == .resourceBusy else { throw error }
    }
  }

  /// Raw mode, and news of changed settings; the speed stays as it is unless one is given. Senders
  /// leave behind what they set, and some (tio, minicom, screen) end the news.
  package func makeRaw(baud: Int? = nil) throws(SerialError) {
    // The master's settings are the sender's end's.
    let number = master.value.rawValue
    guard var settings = PortSystem.settings(number).map(PortSystem.raw) else {
      throw settingsFailure()
    }
    settings.c_lflag |= tcflag_t(EXTPROC)
    var on: CInt = 1
    guard PortSystem.set(settings, number), ioctl(number, UInt(TIOCPKT), &on) == 0 else {
      throw settingsFailure()
    }
    if let baud, !LineSpeed.set(baud, on: number) { throw settingsFailure() }
  }

  /// The speed that was set last, bits a second; nil where that is 0 (hang up) or unknown.
  package var senderBaud: Int? { LineSpeed.of(master.value.rawValue) }

  private func settingsFailure() -> SerialError {
    SerialError(
      .inputOutput, path: path, cause: Errno(rawValue: errno), "its settings cannot be set")
  }

  private func openSenderEnd() throws(SerialError) -> Descriptor {
    let flags = O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK
    let number = open(path, flags)
    guard number >= 0 else {
      throw SerialError(
        .unavailable, path: path, cause: Errno(rawValue: errno), "cannot be opened")
    }
    return Descriptor(FileDescriptor(rawValue: number))
  }
}
