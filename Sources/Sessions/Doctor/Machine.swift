import Files
import Platform
import Serial
import SystemPackage
import Traces

/// What a computer has of the things that the bench uses: a value, so that a diagnosis can be
/// tested without that computer.
package struct Machine: Hashable, Sendable {
  /// A device file: a serial port or a camera.
  package struct DeviceFile: Hashable, Sendable {
    package var path: String
    /// Whether this process can read and write it.
    package var isOpen: Bool
    /// The group that can; nil if its permissions give a group nothing.
    package var group: String?

    package init(_ path: String, isOpen: Bool, group: String? = nil) {
      self.path = path
      self.isOpen = isOpen
      self.group = group
    }
  }

  /// A folder of pages that was looked for: where it is, or why it is missing.
  package struct Pages: Hashable, Sendable {
    package var name: String
    package var path: String?
    package var error: String

    package init(_ name: String, path: String? = nil, error: String = "") {
      self.name = name
      self.path = path
      self.error = error
    }
  }

  package var user = ""
  /// The groups in which the system's list has the user, even if this session does not have them
  /// yet.
  package var listedGroups: Set<String> = []
  /// Why no pty can be made; nil if one can.
  package var ptyError: String?
  /// The link that senders open by default, and whether it can be created.
  package var link = ""
  package var isLinkFolderWritable = true
  /// Why the serial ports cannot be listed; nil if they can.
  package var portsError: String?
  package var ports: [DeviceFile] = []
  package var cameras: [DeviceFile] = []
  package var pages: [Pages] = []
  /// The paths of the programs that are on the PATH, by their names.
  package var programs: [String: String] = [:]
  /// The folder of Arduino's core for the AVR; nil if none is found.
  package var arduinoCore: String?

  package init() {}

  /// The programs that the diagnosis is about, or that it recommends to use.
  private static let programNames = [
    "apt-get", "arduino-cli", "avr-gcc", "openssl", "qrencode", "sentry-camera",
  ]

  /// Looks at this computer. Opens nothing but a pty.
  package static func current() -> Machine {
    var machine = Machine()
    if let entry = getpwuid(geteuid()) { machine.user = String(cString: entry.pointee.pw_name) }
    do throws(SerialError) {
      _ = try PseudoTerminal.make(baud: 9_600)
    } catch {
      machine.ptyError = error.description
    }
    machine.link = PortLink.defaultPath
    let folder = FilePath(machine.link).removingLastComponent().string
    machine.isLinkFolderWritable = access(folder, W_OK | X_OK) == 0
    do throws(SerialError) {
      machine.ports = try PortInfo.all().map { deviceFile($0.path) }
    } catch {
      machine.portsError = error.description
    }
    machine.cameras = (0..<64).map { "/dev/video\($0)" }.filter { access($0, F_OK) == 0 }
      .map(deviceFile)
    let groups = (machine.ports + machine.cameras).compactMap(\.group)
    machine.listedGroups = Set(groups.filter { lists($0, machine.user) })
    machine.pages = ["dashboard", "phone", "playground"].map { name in
      do throws(TraceError) {
        return Pages(name, path: try SharedFiles.folder(named: name).string)
      } catch {
        return Pages(name, error: error.description)
      }
    }
    for name in programNames { machine.programs[name] = program(name) }
    machine.arduinoCore = coreFolders().first {
      access("\($0)/cores/arduino/Arduino.h", R_OK) == 0
    }
    return machine
  }

  private static func deviceFile(_ path: String) -> DeviceFile {
    var status = stat()
    let groupBits = mode_t(S_IRGRP | S_IWGRP)
    var group: String?
    if stat(path, &status) == 0, status.st_mode & groupBits == groupBits,
      let entry = getgrgid(status.st_gid)
    {
      group = String(cString: entry.pointee.gr_name)
    }
    return DeviceFile(path, isOpen: access(path, R_OK | W_OK) == 0, group: group)
  }

  private static func lists(_ group: String, _ user: String) -> Bool {
    guard let entry = getgrnam(group), var member = entry.pointee.gr_mem else { return false }
    while let name = member.pointee {
      if String(cString: name) == user { return true }
      member += 1
    }
    return false
  }

  private static func environment(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  private static func program(_ name: String) -> String? {
    environment("PATH").split(separator: ":").map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }

  /// The folders in which Arduino's core can be: that of ARDUINO_AVR, Debian's package, and what
  /// the Arduino IDE and arduino-cli install.
  private static func coreFolders() -> [String] {
    let own = environment("ARDUINO_AVR")
    if !own.isEmpty { return [own] }
    let home = environment("HOME")
    let installed = [
      "\(home)/.arduino15", "\(home)/Library/Arduino15",
    ].map { "\($0)/packages/arduino/hardware/avr" }
    return ["/usr/share/arduino/hardware/arduino/avr"]
      + installed.flatMap { folder in entries(of: folder).map { "\(folder)/\($0)" } }
  }

  private static func entries(of folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
