package import Engine
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

  package init(of machine: Machine) {
    findings =
      [Self.pty(machine), Self.link(machine)] + Self.ports(machine)
      + machine.pages.map(Self.pages)
      + [Self.compiler(machine), Self.core(machine)] + Self.cameras(machine)
      + [
        Self.program(
          "sentry-camera", machine, use: "it turns a camera's pictures into observations for aim",
          advice: "install it from senders/camera in the project: pip install ./senders/camera"),
        Self.program(
          "qrencode", machine, use: "gateway --tls-self-signed prints its address as a QR code",
          package: "qrencode"),
        Self.program(
          "openssl", machine, use: "--tls-self-signed makes a certificate", package: "openssl"),
      ]
  }

  /// Whether the bench can do its main work.
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
    let others = findings.count { $0.state != .ok }
    lines.append(
      !works
        ? "run cannot give a sender a port here. replay, verify and virtual tests need none."
        : others == 0
          ? "All is there."
          : "The bench works. What is missing or unusable is only for the purposes stated.")
    return lines
  }

  package var json: String {
    var json = JSONText()
    json.add("works", .bool(works))
    let list = findings.map { finding in
      JSONValue.object([
        .init("subject", .string(finding.subject)), .init("state", .string(finding.state.rawValue)),
        .init("text", .string(finding.text)),
        .init("advice", finding.advice.map { .string($0) } ?? .null),
        .init("required", .bool(finding.isRequired)),
      ])
    }
    json.add("findings", .array(list))
    return json.text
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
    guard !machine.ports.isEmpty else {
      return [
        Finding(
          subject: "serial ports", state: .missing, text: "no board is connected",
          advice: "connect one for --device serial:PATH; the model and the emulated chip need none")
      ]
    }
    return machine.ports.map { file("serial port", $0, machine) }
  }

  private static func cameras(_ machine: Machine) -> [Finding] {
    guard !machine.cameras.isEmpty else {
      return [
        Finding(
          subject: "camera", state: .missing, text: "no /dev/video* is there",
          advice: "connect one, or give sentry-camera a video file or an address")
      ]
    }
    return machine.cameras.map { file("camera", $0, machine) }
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

  private static func pages(_ pages: Machine.Pages) -> Finding {
    let subject = "page \(pages.name)"
    guard let path = pages.path else {
      return Finding(subject: subject, state: .missing, text: pages.error)
    }
    return Finding(subject: subject, state: .ok, text: path)
  }

  private static func compiler(_ machine: Machine) -> Finding {
    program(
      "avr-gcc", machine,
      use: "it compiles sketches for --device avr:FILE, as the Arduino IDE does",
      package: "gcc-avr avr-libc")
  }

  private static func core(_ machine: Machine) -> Finding {
    let subject = "Arduino core"
    if let folder = machine.arduinoCore {
      return Finding(subject: subject, state: .ok, text: folder)
    }
    return Finding(
      subject: subject, state: .missing, text: "sketches that use Arduino's library need it",
      advice: machine.programs["arduino-cli"] != nil
        ? "arduino-cli core install arduino:avr"
        : install("arduino-core-avr", machine) + ", or set ARDUINO_AVR to its folder")
  }

  private static func program(
    _ name: String, _ machine: Machine, use: String, package: String
  ) -> Finding {
    program(name, machine, use: use, advice: install(package, machine))
  }

  private static func program(
    _ name: String, _ machine: Machine, use: String, advice: String
  ) -> Finding {
    if let path = machine.programs[name] {
      return Finding(subject: name, state: .ok, text: path)
    }
    return Finding(subject: name, state: .missing, text: use, advice: advice)
  }

  /// How to install Debian's packages; the names can differ elsewhere.
  private static func install(_ packages: String, _ machine: Machine) -> String {
    machine.programs["apt-get"] != nil
      ? "sudo apt-get install \(packages)"
      : "install it; Debian's packages are \(packages)"
  }
}
