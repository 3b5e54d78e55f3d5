import Engine
import Platform
import Sessions
import Testing

/// What `doctor` says about computers that are not this one.
@Suite struct DiagnosisTests {
  /// A computer that has everything.
  private static let complete: Machine = {
    var machine = Machine()
    machine.user = "ada"
    machine.link = "/run/user/1000/ttySentry"
    machine.ports = [.init("/dev/ttyACM0", isOpen: true, group: "dialout")]
    machine.cameras = [.init("/dev/video0", isOpen: true, group: "video")]
    machine.pages = ["dashboard", "phone", "playground"].map { .init($0, path: "/share/\($0)") }
    for name in ["apt-get", "avr-gcc", "openssl", "qrencode", "sentry-camera"] {
      machine.programs[name] = "/usr/bin/\(name)"
    }
    machine.arduinoCore = "/usr/share/arduino/hardware/arduino/avr"
    return machine
  }()

  @Test func `A computer that has everything needs no advice`() {
    let diagnosis = Diagnosis(of: Self.complete)
    #expect(diagnosis.findings.allSatisfy { $0.state == .ok && $0.advice == nil })
    #expect(diagnosis.works)
    #expect(diagnosis.lines.last == "All is there.")
    #expect(diagnosis.lines.contains("ok        serial port: /dev/ttyACM0"))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var change: @Sendable (inout Machine) -> Void
    var subject: String
    var state: Diagnosis.State
    /// A part of the advice.
    var advice: String
    var works = true
  }

  @Test(arguments: [
    Case(
      testDescription: "no pty",
      change: { $0.ptyError = "/dev/ptmx: error: cannot allocate a pseudo-terminal" },
      subject: "ptys", state: .unusable, advice: "mount /dev/pts", works: false),
    Case(
      testDescription: "no place for the link", change: { $0.isLinkFolderWritable = false },
      subject: "port", state: .unusable, advice: "set XDG_RUNTIME_DIR", works: false),
    Case(
      testDescription: "no board", change: { $0.ports = [] }, subject: "serial ports",
      state: .missing, advice: "connect one"),
    Case(
      testDescription: "no list of ports", change: { $0.portsError = "/dev: error: denied" },
      subject: "serial ports", state: .unusable, advice: ""),
    Case(
      testDescription: "a port of a group",
      change: { $0.ports = [.init("/dev/ttyUSB0", isOpen: false, group: "uucp")] },
      subject: "serial port", state: .unusable, advice: "sudo usermod -a -G uucp ada"),
    Case(
      testDescription: "a group since the last login",
      change: {
        $0.ports = [.init("/dev/ttyUSB0", isOpen: false, group: "dialout")]
        $0.listedGroups = ["dialout"]
      }, subject: "serial port", state: .unusable, advice: "log out and in again"),
    Case(
      testDescription: "a port of no group",
      change: { $0.ports = [.init("/dev/ttyUSB0", isOpen: false)] }, subject: "serial port",
      state: .unusable, advice: "udev"),
    Case(
      testDescription: "a camera of a group",
      change: { $0.cameras = [.init("/dev/video0", isOpen: false, group: "video")] },
      subject: "camera", state: .unusable, advice: "sudo usermod -a -G video ada"),
    Case(
      testDescription: "no camera", change: { $0.cameras = [] }, subject: "camera",
      state: .missing, advice: "a video file"),
    Case(
      testDescription: "no compiler", change: { $0.programs["avr-gcc"] = nil },
      subject: "avr-gcc", state: .missing, advice: "sudo apt-get install gcc-avr avr-libc"),
    Case(
      testDescription: "no compiler without apt",
      change: { $0.programs = [:] }, subject: "avr-gcc", state: .missing,
      advice: "install it; Debian's packages are gcc-avr avr-libc"),
    Case(
      testDescription: "no core", change: { $0.arduinoCore = nil }, subject: "Arduino core",
      state: .missing, advice: "set ARDUINO_AVR"),
    Case(
      testDescription: "no core but arduino-cli",
      change: {
        $0.arduinoCore = nil
        $0.programs["arduino-cli"] = "/usr/bin/arduino-cli"
      }, subject: "Arduino core", state: .missing, advice: "arduino-cli core install arduino:avr"),
    Case(
      testDescription: "no pages", change: { $0.pages[1] = .init("phone", error: "it is missing") },
      subject: "page phone", state: .missing, advice: ""),
    Case(
      testDescription: "no qrencode", change: { $0.programs["qrencode"] = nil },
      subject: "qrencode", state: .missing, advice: "sudo apt-get install qrencode"),
  ])
  func `What is missing is named with what to do`(_ example: Case) throws {
    var machine = Self.complete
    example.change(&machine)
    let diagnosis = Diagnosis(of: machine)
    let finding = try #require(diagnosis.findings.first { $0.subject == example.subject })
    #expect(finding.state == example.state)
    #expect(finding.advice?.contains(example.advice) ?? example.advice.isEmpty, "\(finding)")
    #expect(diagnosis.works == example.works)
    #expect(diagnosis.status.rawValue == (example.works ? 0 : 1))
    #expect(diagnosis.lines.last?.hasPrefix(example.works ? "The bench works." : "run can") == true)
  }

  @Test func `JSON has each finding with its state and advice`() {
    var machine = Self.complete
    machine.programs["qrencode"] = nil
    let json = Diagnosis(of: machine).json
    #expect(json.hasPrefix(#"{"works": true, "findings": [{"subject": "ptys", "state": "ok","#))
    #expect(json.contains(#"{"subject": "qrencode", "state": "missing", "text": ""#))
    #expect(json.contains(#""advice": "sudo apt-get install qrencode", "required": false}"#))
  }

  @Test func `JSON has versions, but neither the user nor the home folder`() {
    var machine = Self.complete
    machine.home = "/home/ada"
    machine.installation = .wheel
    machine.versions = ["sentrybench": "1.2.3", "avr-gcc": "7.3.0"]
    machine.skipped = ["camera": "this system has no device files for cameras"]
    machine.pages[0].path = "/home/ada/.local/share/sentrybench/dashboard"
    machine.ports = [.init("/dev/ttyUSB0", isOpen: false, group: "dialout")]
    let diagnosis = Diagnosis(of: machine)
    let json = diagnosis.json
    #expect(json.contains(#""versions": {"avr-gcc": "7.3.0", "sentrybench": "1.2.3"}"#))
    #expect(json.contains(#""installation": "wheel""#))
    #expect(
      json.contains(
        #""skipped": [{"subject": "camera", "text": "this system has no device files for cameras"}]"#
      ))
    #expect(json.contains(#""text": "~/.local/share/sentrybench/dashboard""#))
    #expect(!json.contains("ada"), "\(json)")
    #expect(json.contains("sudo usermod -a -G dialout $USER, then log in again"))
    #expect(
      diagnosis.lines.contains("skipped   camera: this system has no device files for cameras"))
    #expect(!diagnosis.findings.contains { $0.subject == "camera" })
  }

  @Test func `This computer can be examined`() {
    let machine = Machine.current(version: "1.2.3")
    #expect(machine.versions["sentrybench"] == "1.2.3")
    #expect(machine.versions["system"]?.isEmpty == false)
    #expect(!machine.link.isEmpty)
    #expect(machine.pages.map(\.name) == ["dashboard", "phone", "playground"])
    #expect(machine.pages.allSatisfy { $0.path != nil || !$0.error.isEmpty })
  }
}
