package import Platform
package import SystemPackage

/// The bench's end of a pty: bytes that a sender writes to `path` can be read here, and vice versa.
package struct PseudoTerminal: ~Copyable, Sendable {
  /// The result of one read.
  package enum Received: Hashable, Sendable {
    case bytes([UInt8])
    /// A sender changed its settings or flushed. There are no bytes. `isSetting`: it only changed
    /// its settings.
    case control(isSetting: Bool)
    /// There are no bytes yet.
    case nothing
    /// There are no bytes, and no program has the sender's end open.
    case hungUp
  }

  /// The sender's end.
  package let path: String
  let system: any SystemCalls
  private let master: Descriptor
  /// The sender's end, kept open only while writers are held.
  private var holding: Descriptor?

  private init(_ master: consuming Descriptor, path: String, on system: any SystemCalls) {
    self.system = system
    self.master = master
    self.path = path
  }

  /// Whether the system has ptys at all; some containers have none.
  package static var areAvailable: Bool { access("/dev/ptmx", R_OK | W_OK) == 0 }

  /// Creates a pty in raw mode, since its bytes are for a device rather than a person, at `baud`
  /// bits a second.
  package static func make(
    baud: Int, on system: any SystemCalls = HostSystem.shared
  ) throws(SerialError) -> PseudoTerminal {
    let pty: PseudoTerminal
    do throws(Errno) {
      let (master, path) = try system.openPty()
      pty = PseudoTerminal(Descriptor(master, of: system), path: path, on: system)
    } catch {
      throw SerialError(
        .unavailable, path: "/dev/ptmx", cause: error, "cannot allocate a pseudo-terminal")
    }
    // The master reports a hang-up only after the other end has been opened and closed once.
    _ = try pty.openSenderEnd()
    try pty.makeRaw(baud: baud)
    return pty
  }

  /// Becomes readable when a sender has written, changed its settings or closed the pty.
  package var descriptor: FileDescriptor { master.value }

  /// Whether no program has the sender's end open. Must not be used while writers are held.
  package var isHungUp: Bool {
    system.poll(descriptor.rawValue, 0, within: 0) & CInt(POLLHUP) != 0
  }

  /// Reads at most `countMax` bytes without waiting.
  package func read(upTo countMax: Int) throws(SerialError) -> Received {
    do throws(Errno) {
      // In packet mode the first byte of a read is its type.
      let packet = try system.read(descriptor.rawValue, upTo: countMax + 1)
      guard let type = packet.first else { return .nothing }
      guard type == UInt8(TIOCPKT_DATA) else {
        return .control(isSetting: type == UInt8(TIOCPKT_IOCTL))
      }
      return packet.count == 1 ? .nothing : .bytes(Array(packet.dropFirst()))
    } catch {
      switch error {
      case .wouldBlock, .interrupted: return .nothing
      case .ioError: return .hungUp
      case let cause:
        throw SerialError(.inputOutput, path: path, cause: cause, "cannot be read")
      }
    }
  }

  /// Takes the notification of what the bench itself has changed. It takes no bytes.
  package func dropControl() throws(SerialError) { _ = try read(upTo: 0) }

  /// Writes bytes for the sender to read. Returns how many there was room for.
  package func write(_ bytes: [UInt8]) throws(SerialError) -> Int {
    do throws(Errno) {
      return try system.write(descriptor.rawValue, bytes[...])
    } catch {
      switch error {
      case .wouldBlock, .interrupted, .ioError: return 0
      case let cause:
        throw SerialError(.inputOutput, path: path, cause: cause, "cannot be written")
      }
    }
  }

  /// Makes writers wait, as a full port does: they block or receive EAGAIN. Bytes that the kernel
  /// has already accepted (up to about 18 KB if that much is written at once) can still be read.
  package mutating func holdWriters() throws(SerialError) {
    guard holding == nil else { return }
    do throws(SerialError) {
      let end = try openSenderEnd()
      try? system.change(end.value.rawValue, .hold)
      holding = consume end
    } catch {
      // A sender can claim the port for itself (TIOCEXCL). Then only the kernel's own limit holds
      // it.
      guard error.cause == .resourceBusy else { throw error }
    }
  }

  /// Lets writers continue.
  package mutating func releaseWriters() {
    guard let end = holding.take() else { return }
    try? system.change(end.value.rawValue, .release)
  }

  package var isHolding: Bool { holding != nil }

  /// Discards what the last sender has left behind: bytes that it has not read, and its claim to
  /// the port for itself (TIOCEXCL), which outlives it on a pty. Returns false if that claim keeps
  /// out this program too, as it does unless it is root's.
  package func clear() throws(SerialError) -> Bool {
    do throws(SerialError) {
      let end = try openSenderEnd()
      try? system.change(end.value.rawValue, .discardInput)
      try? system.change(end.value.rawValue, .giveUp)
      return true
    } catch {
      guard error.cause == .resourceBusy else { throw error }
      return false
    }
  }

  /// Sets raw mode and requests notification of changed settings. The speed is kept unless one is
  /// given. Senders leave their settings behind, and some (tio, minicom, screen) turn the
  /// notification off.
  package func makeRaw(baud: Int? = nil) throws(SerialError) {
    // The master has the same settings as the sender's end.
    let number = master.value.rawValue
    do throws(Errno) {
      guard var settings = system.settings(of: number).map(PortSystem.raw) else {
        throw .inappropriateIOCTLForDevice
      }
      settings.c_lflag |= tcflag_t(EXTPROC)
      try system.set(settings, of: number)
      try system.change(number, .beginPackets)
      if let baud { try system.set(speed: baud, of: number) }
    } catch {
      throw SerialError(.inputOutput, path: path, cause: error, "its settings cannot be set")
    }
  }

  /// The speed set last, in bits a second; nil if it is 0 (hang up) or unknown.
  package var senderBaud: Int? { system.speed(of: master.value.rawValue) }

  /// Whether a sender has set a parity, as far as that can be seen. A pty resets PARENB, and with
  /// it even parity; the bits of the others stay.
  package var hasParity: Bool {
    system.settings(of: master.value.rawValue).map { $0.c_cflag & tcflag_t(PARODD) != 0 }
      ?? false
  }

  private func openSenderEnd() throws(SerialError) -> Descriptor {
    do throws(Errno) {
      return Descriptor(try system.openTerminal(path), of: system)
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be opened")
    }
  }
}
