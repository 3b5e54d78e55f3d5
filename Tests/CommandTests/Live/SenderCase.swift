import TestSupport

/// A real sender against a live bench.
struct SenderCase: Sendable, CustomStringConvertible {
  var name: String
  var firmware: String
  var options: [String] = []
  var tools: [Tool]
  /// The command after `--`.
  var command: [String]

  var description: String { "\(name), \(firmware)" }

  static func pyserial(
    _ name: String, _ firmware: String, with settings: String = "9600",
    options: [String] = [], _ body: String
  ) -> SenderCase {
    SenderCase(
      name: name, firmware: firmware, options: options, tools: [.pyserial],
      command: [
        Tool.pyserial.path ?? "python3", "-c", SenderScript.pyserial(settings, body),
      ])
  }

  static func expect(_ name: String, _ firmware: String, _ tool: Tool, _ script: String) -> Self {
    SenderCase(
      name: name, firmware: firmware, tools: [.expect, tool], command: ["expect", "-c", script])
  }

  static func shell(_ name: String, _ firmware: String, _ tool: Tool, _ script: String) -> Self {
    SenderCase(name: name, firmware: firmware, tools: [tool], command: ["/bin/sh", "-c", script])
  }

  static let all: [SenderCase] = [
    pyserial("pyserial at camera rate", "classic", SenderScript.cameraRate),
    pyserial("pyserial at camera rate", "buzzer", SenderScript.cameraRate),
    pyserial("pyserial at camera rate", "guarded", SenderScript.cameraRate),
    pyserial(
      "pyserial, exclusive, no flow control", "guarded",
      with: "9600, exclusive=True, rtscts=False, dsrdtr=False, xonxoff=False", SenderScript.rough),
    pyserial(
      "pyserial, two stop bits, time-outs", "classic",
      with: "9600, stopbits=2, timeout=0.1, write_timeout=1, inter_byte_timeout=0.01",
      SenderScript.rough),
    pyserial("pyserial, which asks", "guarded", with: "9600, timeout=5", SenderScript.asking),
    pyserial("pyserial at 19200", "guarded", with: "19200", SenderScript.rough),
    pyserial("pyserial at 4800", "classic", with: "4800", SenderScript.cameraRate),
    pyserial(
      "pyserial, the board restarts", "classic", options: ["--reset-on-open"],
      "time.sleep(0.6)\n" + SenderScript.cameraRate),
    pyserial(
      "pyserial, opened again and again", "guarded",
      options: ["--reset-on-open", "--boot-time", "50ms"],
      "for _ in range(5):\n    say('X20.L')\n    time.sleep(0.08)\n    s.close()\n    s.open()"),
    shell("socat", "buzzer", .socat, SenderScript.socat),
    shell("socat", "classic", .socat, SenderScript.socat),
    expect("picocom", "guarded", .picocom, SenderScript.picocom),
    expect("picocom", "buzzer", .picocom, SenderScript.picocom),
    expect("tio", "guarded", .tio, SenderScript.tio),
    shell("stty and printf", "classic", .stty, SenderScript.stty("X45. L X100. 'X7' '.'")),
    shell("stty and printf", "guarded", .stty, SenderScript.stty("X45. L X100. V '?'")),
  ]
}
