import ArgumentParser
import Devices
import Engine
import Network
import Platform
import Serial
import Sessions
import Sketches
import Traces

/// The device itself, without what is around it.
struct DeviceChoiceOptions: ParsableArguments {
  @Option(
    help: """
      The sketch that the model behaves as. Default: that of the trace, or guarded. On avr:FILE: \
      the sketch of the bench that the program is. Default: if its file has that sketch's name.
      """)
  var firmware: Firmware?

  @Option(
    help: ArgumentHelp(
      """
      model, avr:FILE, serial:PATH or rfc2217://HOST:PORT. The first is the Swift model of a \
      sketch, in virtual time; the second, an emulated ATmega328P that runs this .elf or .hex \
      file; the third, a real board; the last, a real board on a serial port server, such as \
      ser2net. (default: model)
      """, valueName: "model|avr:FILE|serial:PATH|rfc2217://HOST:PORT"),
    completion: .list(["model", "avr:", "serial:", "rfc2217://"]))
  var device: String?

  @Option(
    help: """
      A file with the timing of another build, for the model: a JSON object with a key for each \
      figure, in microseconds. calibrate writes one.
      """, completion: .file())
  var timing: String?
}

/// Arguments that select the device at the end of the line.
///
/// They have three groups of options, because a group has one heading. The groups are not in a
/// group of their own: in a debug build, each group around others makes the parser check these five
/// times as often, which took up to two seconds of a start.
protocol SelectsDevice: ParsableArguments {
  var selection: DeviceChoiceOptions { get }
  var board: BoardOptions { get }
  var chip: AVROptions { get }
}

extension SelectsDevice {
  var deviceOptions: DeviceOptions {
    DeviceOptions(selection: selection, board: board, chip: chip)
  }

  func validate() throws { try deviceOptions.check() }
}

/// The options of a device without a command.
struct DeviceArguments: SelectsDevice {
  @OptionGroup var selection: DeviceChoiceOptions
  @OptionGroup var board: BoardOptions
  @OptionGroup var chip: AVROptions
}

/// The options that select the device at the end of the line.
struct DeviceOptions {
  var selection: DeviceChoiceOptions
  let board: BoardOptions
  let chip: AVROptions

  var firmware: Firmware? { selection.firmware }
  var device: String { selection.device ?? "model" }

  static let chipPrefix = "avr:"
  private static let boardPrefix = "serial:"

  /// Whether the command line selects or configures a device.
  var isGiven: Bool {
    selection.device != nil || selection.timing != nil || chip.isGiven || board.isGiven
  }

  var isBoard: Bool { boardPath != nil || RemoteArgument.isRemote(device) }

  private var boardPath: String? { path(behind: Self.boardPrefix) }
  /// The path of the program for the emulated chip; nil if another device is selected.
  var chipPath: String? { path(behind: Self.chipPrefix) }

  private func path(behind prefix: String) -> String? {
    guard device.hasPrefix(prefix) else { return nil }
    return String(device.dropFirst(prefix.count))
  }

  /// Refuses options that do not go together. `restartsBoard` is whether the command itself uses
  /// the options of a board's restart.
  func check(restartsBoard: Bool = false) throws {
    try UsageRule.check(
      UsageRule(
        "--no-reset and --boot-time", board.isGiven,
        requires: "--device serial:PATH or rfc2217://HOST:PORT, or run --rfc2217 or "
          + "--reset-on-open", isBoard, restartsBoard),
      UsageRule(
        brokenIf: boardPath?.isEmpty == true || chipPath?.isEmpty == true,
        "\(device) requires a path."),
      UsageRule(
        "--timing", selection.timing, requires: "the model", device == "model",
        because: "this device has its own timing"),
      UsageRule(brokenIf: chipPath == nil && chip.isGiven, AVROptions.requirement))
  }

  /// Returns the source of the selected device.
  func source() throws(Failure) -> any DeviceSource {
    if let boardPath { return board.source(at: SerialPlace(path: boardPath)) }
    if let place = try RemoteArgument.place(device) { return board.source(at: place) }
    if let chipPath { return try chip.source(path: chipPath) }
    guard device == "model" else {
      throw Failure(
        .usage,
        "error: there is no device \"\(device)\"; this version has: model, avr:FILE, serial:PATH, "
          + "rfc2217://HOST:PORT\(Self.advice(for: device).map { "; \($0)" } ?? "")")
    }
    return ModelSource(timing: try readTiming())
  }

  /// Returns the selected device with its name, its sketch and its program. `profile` is what
  /// `--profile` states; that of a sketch of the bench selects the sketch too.
  func choice(_ profile: ProfileChoice? = nil) throws(Failure) -> DeviceChoice {
    var choice = DeviceChoice(
      try source(), firmware: firmware ?? profile?.firmware, name: device, programPath: chipPath)
    choice.profile = profile
    return choice
  }

  /// Returns the same for a command that shows what becomes of each byte. Throws for a board.
  func transparentChoice() throws(Failure) -> DeviceChoice {
    let choice = try choice()
    try choice.requireVirtual("a board does not show what becomes of each byte")
    return choice
  }

  /// What the file or the port has to be called that was given as a device; nil if it is neither.
  private static func advice(for device: String) -> String? {
    if device.hasPrefix("/dev/") { return "a board at a port is serial:\(device)" }
    if SketchAdvice.isSource(device) { return SketchAdvice.compiling(device) }
    return SketchAdvice.isProgram(device) ? SketchAdvice.naming(device) : nil
  }

  private func readTiming() throws(Failure) -> Timing? {
    do throws(TraceError) {
      guard let timing = selection.timing else { return nil }
      return try Timing(path: timing)
    } catch {
      throw Failure(error)
    }
  }
}

/// Options for starting a real board.
struct BoardOptions: ParsableArguments {
  @Flag(
    help: """
      Do not restart the board. A trace is then compared from its first aim on. Opening a port \
      still restarts an Uno unless DTR was left set: stty -F PORT -hupcl.
      """)
  var noReset = false

  @Option(
    help: """
      How long the board's bootloader takes before its sketch starts, for example 500ms. Default: \
      1s. For a port without DTR, such as a pty, it also declares that opening the port restarts \
      the board. With run --rfc2217 and --reset-on-open it applies to any device that a sender \
      restarts.
      """,
    transform: Interval.argument)
  var bootTime: Interval?

  func validate() throws {
    try UsageRule.check(
      UsageRule("--boot-time", bootTime, excludes: "--no-reset", noReset),
      UsageRule(
        brokenIf: bootTime.map { $0 > .seconds(60) } ?? false, "--boot-time must be at most 60s."))
  }

  var isGiven: Bool { noReset || bootTime != nil }

  func source(at place: any BoardPlace) -> BoardSource {
    BoardSource(at: place, resets: !noReset, bootTime: bootTime)
  }
}

/// A board on an RFC 2217 server, as the command line names it: `rfc2217://HOST:PORT`.
enum RemoteArgument {
  private static let scheme = "rfc2217:"

  static func isRemote(_ text: String) -> Bool { text.hasPrefix(scheme) }

  /// Returns the board's place; nil if the text is not an address of this kind.
  static func place(_ text: String) throws(Failure) -> RemotePlace? {
    guard isRemote(text) else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard rest.hasPrefix("//"), let endpoint = Endpoint(String(rest.dropFirst(2))),
      endpoint.port > 0
    else {
      throw Failure(
        .usage,
        "error: \"\(text)\" is not the address of a port; expected rfc2217://HOST:PORT, for "
          + "example rfc2217://127.0.0.1:2217")
    }
    return RemotePlace(endpoint)
  }
}

extension DeviceOptions {
  /// Returns the device that `--against` names. What is stated of a chip holds for both.
  func compared(with name: String) throws -> DeviceChoice {
    if name == "model" { return .model }
    if let firmware = Firmware(rawValue: name) {
      return DeviceChoice(ModelSource(), firmware: firmware, name: name)
    }
    var other = self
    (other.selection.device, other.selection.firmware) = (name, nil)
    guard other.chipPath?.isEmpty == false else {
      throw Failure.misuse(
        "--against requires the name of a sketch, model or avr:FILE; found \(name).")
    }
    return try other.choice()
  }
}
