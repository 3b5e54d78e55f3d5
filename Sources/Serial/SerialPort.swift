import CSerialPort
import Devices
import Platform
import Sketches
import SystemPackage

/// An open serial port: 8N1, raw bytes, nonblocking. It is closed when its last reference is
/// released.
///
/// A port that libserialport knows is opened with libserialport. Any other path, such as a pty or a
/// link created by socat, is opened with termios; it has no modem lines, and its settings are
/// restored when it is closed.
///
/// On Linux opening a port always raises DTR and RTS, which resets an Uno. Only the program that
/// closed the port before can prevent that, by leaving the lines up; `keepsLines` does so for the
/// next one. Before the first time, use `stty -F PORT -hupcl` or a capacitor of 10 uF between the
/// board's RESET and GND.
package final class SerialPort: BoardPort {
  /// The path as given by the user.
  package let path: String
  package let descriptor: CInt
  /// libserialport's port; nil if it does not know the path. Safe on any thread: the pointer never
  /// changes, and libserialport only reads the descriptor behind it until the port is closed, which
  /// follows the last reference.
  nonisolated(unsafe) private let port: OpaquePointer?
  /// The original settings of a port opened with termios.
  private let before: TerminalSettings?
  private let keepsLines: Bool

  /// Opens the port at `path` at a speed in bits a second. With `keepsLines`, neither this program
  /// nor closing the port changes DTR and RTS.
  package init(
    path: String, speed: Int = SerialLine.usualBaud, keepsLines: Bool = false
  ) throws(SerialError) {
    let resolved = PortSystem.resolve(path) ?? path
    self.path = path
    self.keepsLines = keepsLines
    if let port = try Self.openKnown(resolved, as: path) {
      var descriptor: CInt = -1
      sp_get_port_handle(port, &descriptor)
      self.port = port
      self.descriptor = descriptor
      before = nil
    } else {
      descriptor = try Self.openTerminal(resolved, as: path)
      port = nil
      before = TerminalSettings(descriptor)
    }
    // From here on every property is initialized, so a failure closes the port.
    if port != nil {
      // libserialport lets child processes inherit the descriptor, and with it the lock.
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
        throw SerialError(opening: path, PortSystem.errno)
      }
      guard PortSystem.takeAlone(descriptor) else {
        throw SerialError(opening: path, .resourceBusy)
      }
    }
    try setUp(speed: speed)
    discardInput()
  }

  deinit {
    if let port {
      sp_close(port)
      sp_free_port(port)
    } else {
      before?.restore(descriptor)
      HostSystem.shared.close(descriptor)
    }
  }

  package func read() throws(SerialError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try HostSystem.shared.read(descriptor, upTo: 4_096)
    } catch {
      guard error == .wouldBlock else { throw SerialError(using: path, error, "read") }
      return []
    }
    guard !bytes.isEmpty else { throw SerialError(gone: path) }
    return bytes
  }

  package func write(_ bytes: some Sequence<UInt8>) throws(SerialError) -> Int {
    do throws(Errno) {
      return try HostSystem.shared.write(descriptor, Array(bytes)[...])
    } catch {
      guard error == .wouldBlock else { throw SerialError(using: path, error, "written") }
      return 0
    }
  }

  /// Pending output is sent at the new speed, too.
  package func setSpeed(_ speed: Int) throws(SerialError) { try setUp(speed: speed) }

  package var outputCount: Int { PortSystem.outputCount(descriptor) ?? 0 }

  package func discardInput() { PortSystem.discardInput(descriptor) }

  package func pulseReset() throws(SerialError) -> Bool {
    guard let port else { return false }
    guard try setLines(port, SP_DTR_OFF, SP_RTS_OFF) else { return false }
    (HostTime.now + .milliseconds(100)).sleep()
    return try setLines(port, SP_DTR_ON, SP_RTS_ON)
  }

  private func setLines(
    _ port: OpaquePointer, _ dtr: sp_dtr, _ rts: sp_rts
  ) throws(SerialError) -> Bool {
    for result in [sp_set_dtr(port, dtr), sp_set_rts(port, rts)] where result != SP_OK {
      let cause = Errno(rawValue: sp_last_error_code())
      if result == SP_ERR_SUPP || cause == .inappropriateIOCTLForDevice || cause == .invalidArgument
      {
        return false
      }
      throw SerialError(using: path, cause, "reset: DTR and RTS cannot be set")
    }
    return true
  }

  // MARK: Opening

  /// Opens a port that libserialport knows. Returns nil if it does not know it, or if it is a
  /// terminal without modem lines.
  private static func openKnown(
    _ resolved: String, as path: String
  ) throws(SerialError) -> OpaquePointer? {
    var port: OpaquePointer?
    guard sp_get_port_by_name(resolved, &port) == SP_OK, let port else { return nil }
    let result = sp_open(port, SP_MODE_READ_WRITE)
    if result == SP_OK { return port }
    let cause = Errno(rawValue: sp_last_error_code())
    sp_free_port(port)
    if result == SP_ERR_SUPP || cause == .inappropriateIOCTLForDevice { return nil }
    throw SerialError(opening: path, result == SP_ERR_FAIL ? cause : .invalidArgument)
  }

  private static func openTerminal(
    _ resolved: String, as path: String
  ) throws(SerialError) -> CInt {
    // Check before opening: opening a FIFO or a tape has side effects.
    if PortSystem.resolve(resolved) == nil { throw SerialError(opening: path, PortSystem.errno) }
    guard PortSystem.isCharacterDevice(resolved) else {
      throw SerialError(.unavailable, path: path, "is neither a serial port nor a terminal")
    }
    let descriptor: CInt
    do throws(Errno) {
      descriptor = try HostSystem.shared.openTerminal(resolved)
    } catch {
      throw SerialError(opening: path, error)
    }
    guard HostSystem.shared.isTerminal(descriptor) else {
      HostSystem.shared.close(descriptor)
      throw SerialError(.unavailable, path: path, "is neither a serial port nor a terminal")
    }
    return descriptor
  }

  private func setUp(speed: Int) throws(SerialError) {
    if let port {
      for result in [
        sp_set_baudrate(port, CInt(clamping: speed)), sp_set_bits(port, 8),
        sp_set_parity(port, SP_PARITY_NONE), sp_set_stopbits(port, 1),
      ] where result != SP_OK {
        throw SerialError(
          .inputOutput, path: path, cause: Errno(rawValue: sp_last_error_code()),
          "cannot be set to \(speed) bits a second, 8N1")
      }
    }
    do throws(Errno) {
      guard let before = HostSystem.shared.settings(of: descriptor) else { throw PortSystem.errno }
      var settings = PortSystem.raw(before)
      // A read without data fails instead of returning 0, so that 0 only means that the port was
      // unplugged.
      withUnsafeMutableBytes(of: &settings.c_cc) { controls in
        controls[Int(VMIN)] = 1
        controls[Int(VTIME)] = 0
      }
      // Closing the port then leaves its modem lines unchanged.
      if keepsLines { settings.c_cflag &= ~tcflag_t(HUPCL) }
      try HostSystem.shared.set(settings, of: descriptor)
    } catch {
      throw SerialError(using: path, error, "set up")
    }
    if port == nil, !LineSpeed.set(speed, on: descriptor) {
      throw SerialError(using: path, PortSystem.errno, "set to \(speed) bits a second")
    }
  }
}

/// The settings of a terminal, for restoring them.
struct TerminalSettings: Sendable {
  private let settings: termios
  /// The speed in bits a second, if the settings have no code for it.
  private let speed: Int?

  /// Returns nil if they cannot be read.
  init?(_ descriptor: CInt) {
    guard let settings = HostSystem.shared.settings(of: descriptor) else { return nil }
    self.settings = settings
    speed = LineSpeed.of(descriptor)
  }

  func restore(_ descriptor: CInt) {
    try? HostSystem.shared.set(settings, of: descriptor)
    if let speed { _ = LineSpeed.set(speed, on: descriptor) }
  }
}

/// A board on a serial port of this computer.
package struct SerialPlace: BoardPlace {
  private let path: String
  /// Identifies a USB device under whatever name it reappears; nil if it has no serial number.
  private let serialNumber: String?

  package init(path: String) {
    self.path = path
    serialNumber = PortInfo.find(path)?.serialNumber
  }

  package var name: String { "serial" }

  package var canAppear: Bool { PortSystem.resolve(path) == nil }

  package func check() throws(SerialError) {
    if canAppear { throw SerialError(opening: path, PortSystem.errno) }
  }

  package func open(speed: Int, keepsLines: Bool) throws(SerialError) -> any BoardPort {
    try SerialPort(path: path, speed: speed, keepsLines: keepsLines)
  }

  package func reopen(speed: Int, keepsLines: Bool) throws(SerialError) -> (any BoardPort)? {
    guard let path = try presentPath() else { return nil }
    return try SerialPort(path: path, speed: speed, keepsLines: keepsLines)
  }

  /// The board's current path.
  private func presentPath() throws(SerialError) -> String? {
    guard let serialNumber else { return path }
    return try PortInfo.all().first { $0.serialNumber == serialNumber }?.path
  }
}
