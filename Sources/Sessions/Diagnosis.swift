package import Engine
package import Platform
import Serial
import Sketches
import SystemPackage
import Traces

/// What `doctor` reports about a computer.
package struct Diagnosis: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    case ok, missing
    /// It is there, but cannot be used.
    case unusable
  }

  package struct Finding: Hashable, Sendable {
    package var subject: String
    package var state: State
    /// What was found, or what is missing because of it.
    package var text: String
    /// What to do; nil if nothing has to be done.
    package var advice: String?
    /// Whether the bench cannot do its main work without it: to be a serial port for a sender.
    package var isRequired = false
  }

  package let findings: [Finding]
  private let machine: Machine

  package init(of machine: Machine) {
    self.machine = machine
    findings =
      [Self.pty(machine), Self.link(machine)] + Self.ports(machine)
      + machine.pages.map { Self.found($0.path, "page \($0.name)", orMissing: $0.error) }
      + [
        Self.program(
          "avr-gcc", machine,
          use: "it compiles sketches for --device avr:FILE, as the Arduino IDE does",
          advice: Self.install("gcc-avr avr-libc", machine)),
        Self.found(
          machine.arduinoCore, "Arduino core",
          orMissing: "sketches that use Arduino's library need it",
          advice: machine.programs["arduino-cli"] != nil
            ? "arduino-cli core install arduino:avr"
            : Self.install("arduino-core-avr", machine) + ", or set ARDUINO_AVR to its folder"),
      ]
      + (machine.skipped["camera"] != nil
        ? []
        : Self.files(
          machine.cameras, "camera", machine, orMissing: "no /dev/video* is there",
          advice: "connect one, or give sentry-camera a video file or an address"))
      + [
        Self.program(
          "sentry-camera", machine, use: "it turns a camera's pictures into observations for aim",
          advice: Self.cameraAdvice(machine.installation)),
        Self.program(
          "qrencode", machine, use: "gateway --tls self-signed prints its address as a QR code",
          advice: Self.install("qrencode", machine)),
        Self.program(
          "openssl", machine, use: "--tls self-signed makes a certificate",
          advice: Self.install("openssl", machine)),
      ]
  }

  package var works: Bool { findings.allSatisfy { !$0.isRequired || $0.state == .ok } }

  package var status: ExitStatus { works ? .agree : .disagree }

  /// The lines for people, with a summary at the end.
  package var lines: [String] {
    var lines: [String] = []
    for finding in findings {
      let state = finding.state.rawValue.padded(to: 9)
      lines.append("\(state) \(finding.subject): \(finding.text)")
      if let advice = finding.advice { lines.append("          \(advice)") }
    }
    for (subject, why) in skipped { lines.append("skipped   \(subject): \(why)") }
    let others = findings.count { $0.state != .ok }
    lines.append(
      !works
        ? "run cannot give a sender a port here. replay, verify and virtual tests need none."
        : others == 0
          ? "All is there."
          : "The bench works. What is missing or unusable is only for the purposes stated.")
    return lines
  }

  /// What was not looked for, and why.
  private var skipped: [(subject: String, why: String)] {
    machine.skipped.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// One object. It names neither the user nor the home folder, so that it can be shown to others.
  package var json: String {
    let list = findings.map { finding in
      JSONValue.object([
        .init("subject", .string(finding.subject)), .init("state", .string(finding.state.rawValue)),
        .init("text", .string(anonymous(finding.text))),
        .init("advice", .text(finding.advice.map(anonymous))),
        .init("required", .bool(finding.isRequired)),
      ])
    }
    let versions = machine.versions.sorted { $0.key < $1.key }.map { name, version in
      JSONValue.Member(name, .string(version))
    }
    let skipped = skipped.map { subject, why in
      JSONValue.object([.init("subject", .string(subject)), .init("text", .string(why))])
    }
    return JSONValue.object([
      .init("works", .bool(works)), .init("findings", .array(list)),
      .init("versions", .object(versions)),
      .init("installation", .string(machine.installation.name)),
      .init("skipped", .array(skipped)),
    ]).text
  }

  private func anonymous(_ text: String) -> String {
    var text = text
    if machine.home.utf8.count > 1 { text = text.replacing(machine.home, with: "~") }
    if !machine.user.isEmpty {
      text = text.replacing(" \(ShellWord.quoted(machine.user)),", with: " $USER,")
      text = text.replacing("\(machine.user) is in", with: "$USER is in")
    }
    return text
  }

  // MARK: -

  private static func pty(_ machine: Machine) -> Finding {
    guard let error = machine.ptyError else {
      return Finding(subject: "ptys", state: .ok, text: "one can be made", isRequired: true)
    }
    return Finding(
      subject: "ptys", state: .unusable, text: error,
      advice: "mount /dev/pts; in a container, start it with a /dev of its own (docker run does)",
      isRequired: true)
  }

  private static func link(_ machine: Machine) -> Finding {
    guard !machine.isLinkFolderWritable else {
      return Finding(subject: "port", state: .ok, text: "senders open \(machine.link)")
    }
    return Finding(
      subject: "port", state: .unusable, text: "\(machine.link) cannot be created",
      advice: "set XDG_RUNTIME_DIR or TMPDIR to a folder that you can write to, or give --pty",
      isRequired: true)
  }

  private static func ports(_ machine: Machine) -> [Finding] {
    if let error = machine.portsError {
      return [Finding(subject: "serial ports", state: .unusable, text: error)]
    }
    return files(
      machine.ports, machine.ports.isEmpty ? "serial ports" : "serial port", machine,
      orMissing: "no board is connected",
      advice: "connect one for --device serial:PATH; the model and the emulated chip need none")
  }

  private static func files(
    _ files: [Machine.DeviceFile], _ subject: String, _ machine: Machine, orMissing text: String,
    advice: String
  ) -> [Finding] {
    files.isEmpty
      ? [Finding(subject: subject, state: .missing, text: text, advice: advice)]
      : files.map { file(subject, $0, machine) }
  }

  /// A device file and whether its permissions let this user open it.
  private static func file(
    _ subject: String, _ file: Machine.DeviceFile, _ machine: Machine
  ) -> Finding {
    guard !file.isOpen else { return Finding(subject: subject, state: .ok, text: file.path) }
    let advice =
      if let group = file.group {
        machine.listedGroups.contains(group)
          ? "\(machine.user) is in the group \(group) since the last login: log out and in again"
          : "sudo usermod -a -G \(group) \(ShellWord.quoted(machine.user)), then log in again"
      } else {
        "its permissions give no group access; a udev rule can change them"
      }
    let owner = file.group.map { "; only the group \($0) can" } ?? ""
    return Finding(
      subject: subject, state: .unusable,
      text: "\(file.path) cannot be opened by this user\(owner)", advice: advice)
  }

  /// What was found at a path, or why something is missed.
  private static func found(
    _ path: String?, _ subject: String, orMissing use: String, advice: String? = nil
  ) -> Finding {
    path.map { Finding(subject: subject, state: .ok, text: $0) }
      ?? Finding(subject: subject, state: .missing, text: use, advice: advice)
  }

  private static func program(
    _ name: String, _ machine: Machine, use: String, advice: String
  ) -> Finding {
    found(machine.programs[name], name, orMissing: use, advice: advice)
  }

  private static func cameraAdvice(_ installation: Installation) -> String {
    if case .tree(let tree) = installation {
      return "pip install \(ShellWord.quoted("\(tree)/senders/camera"))"
    }
    return "in the source code of sentrybench: pip install ./senders/camera"
  }

  /// How to install Debian's packages; the names can differ elsewhere.
  private static func install(_ packages: String, _ machine: Machine) -> String {
    machine.programs["apt-get"] != nil
      ? "sudo apt-get install \(packages)"
      : "install it; Debian's packages are \(packages)"
  }
}

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
  package struct InstalledPages: Hashable, Sendable {
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
  package var pages: [InstalledPages] = []
  /// The paths of the programs that are on the PATH, by their names.
  package var programs: [String: String] = [:]
  /// The folder of Arduino's core for the AVR; nil if none is found.
  package var arduinoCore: String?
  package var installation = Installation.alone
  /// The versions of the program, of the system and of other programs, by their names.
  package var versions: [String: String] = [:]
  /// What such a computer does not have, each with the reason.
  package var skipped: [String: String] = [:]
  /// The user's home folder; empty if there is none.
  package var home = ""

  package init() {}

  /// The programs that the diagnosis is about, or that it recommends to use.
  private static let programNames = [
    "apt-get", "arduino-cli", "avr-gcc", "openssl", "qrencode", "sentry-camera",
  ]

  /// How the programs print their versions.
  private static let versionCommands = [
    ["arduino-cli", "version"], ["avr-gcc", "-dumpversion"], ["openssl", "version"],
  ]
  private static let versionTime = Interval.seconds(5)

  /// Looks at this computer. Opens nothing but a pty, and starts programs only for their versions.
  /// `version` is that of the program.
  package static func current(version: String) -> Machine {
    var machine = Machine()
    machine.installation = .current
    machine.home = environment("HOME")
    machine.versions["sentrybench"] = version
    machine.versions["system"] = system
    #if !os(Linux)
      machine.skipped["camera"] = "this system has no device files for cameras"
    #endif
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
        return InstalledPages(name, path: try SharedFiles.folder(named: name).string)
      } catch {
        return InstalledPages(name, error: error.description)
      }
    }
    for name in programNames { machine.programs[name] = program(name) }
    for command in versionCommands where machine.programs[command[0]] != nil {
      let run = try? ToolRun.run(command, limit: versionTime)
      let line = run?.text.split(separator: "\n").first
      if let line, run?.status == .agree { machine.versions[command[0]] = String(line) }
    }
    machine.arduinoCore = coreFolders().first {
      access("\($0)/cores/arduino/Arduino.h", R_OK) == 0
    }
    return machine
  }

  /// The system's name, its version and the processor.
  private static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
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
      + installed.flatMap { folder in
        let names = (try? PrivateFolder.names(in: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
      }
  }
}
