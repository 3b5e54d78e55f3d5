package import Devices
package import Judging
package import Sketches
package import Traces

/// The contents of the live view at an instant.
package struct LiveStatus: Hashable, Sendable {
  /// The numbers of bytes and commands so far.
  package struct Counts: Hashable, Sendable {
    /// Bytes that a sender wrote.
    package var received = 0
    /// Bytes that are waiting to be sent on the line.
    package var waitingOnLine = 0
    /// Bytes waiting in the board's ring; nil if unknown.
    package var waitingInRing: Int?
    /// Letters that the sketch took as commands; nil if the fate of its bytes is unknown.
    package var commands: Int? = 0
    /// Bytes that never reached the sketch, by cause.
    package var lost: [Output.Loss: Int] = [:]
    /// Bytes from the board that the sender can read.
    package var transmitted = 0
    /// Bytes from the board that no sender read in time.
    package var transmitDropped = 0

    package init() {}
  }

  /// How late the bench woke up.
  package struct Lateness: Hashable, Sendable {
    package var count: Int
    package var median: Interval
    package var worst: Interval

    package init(count: Int, median: Interval, worst: Interval) {
      self.count = count
      self.median = median
      self.worst = worst
    }
  }

  /// The path that a sender opens: the link, which never changes.
  package var port: String
  /// The device: `model`, or a board's port.
  package var device: String
  package var firmware: Firmware
  /// The name of the sketch in the session's header; nil for that of the firmware.
  package var sketch: String?
  /// The name of the program's file; nil if there is none.
  package var program: String?
  /// The sketch's profile, if it is not one of the bench's own.
  package var profile: Profile?
  /// The board's speed in bits a second.
  package var baud: Int
  /// The sender's speed in bits a second.
  package var senderBaud: Int
  /// How many programs have the port open.
  package var clients = 0
  /// The file to which the session is recorded; nil if it is not.
  package var recording: String?
  /// Virtual time.
  package var time = Instant.zero

  /// The commanded angle in degrees; nil before the first, or if unknown.
  package var commandedDegrees: UInt8?
  package var commandedMicroseconds: UInt16?
  /// The shaft's angle in degrees; nil if unknown.
  package var shaftDegrees: Double?
  /// Whether the shaft is moving, so that the next screen will differ.
  package var isShaftMoving = false
  /// The other servos, in order of their pins.
  package var others: [ServoStatus] = []
  /// The pin of the session's own servo; nil if it is not shown because there is no other servo.
  package var ownPin: BoardPin?
  /// What the sketch is doing; nil if unknown.
  package var activity: Activity?
  /// The frequency of the current tone; nil if there is none.
  package var toneHertz: Double?

  package var counts = Counts()
  /// The last bytes and their fates, newest last.
  package var recent: [Ledger.Entry] = []
  /// With a profile, the last commands that were sent, newest last, and one that is not complete.
  package var sent: [SentCommand] = []
  package var unfinished: SentCommand?
  /// What passed on the line, for the monitor; and what was not answered, nil if there is nothing.
  package var serial = SerialLog()
  package var unanswered: [UInt8]?
  package var monitor = SerialMonitor()
  /// Whether a line can be typed.
  package var canType = false
  /// The pins whose levels are shown, by those that are known from the start and those that have
  /// changed.
  package var watchedPins: [BoardPin] = []
  package var pins: [LivePin] = []
  /// What is applied to pins and parts, and what the parts can be told; nil if the device takes no
  /// inputs.
  package var inputs: [BoardInput]?
  package var parts: [BoardPart: PartInput] = [:]
  package var lateness: Lateness?
  /// How far the board is behind the clock, because it is emulated more slowly than real time.
  package var behind = Interval.zero
  /// Lines to copy into another terminal.
  package var hints: [String] = []
  /// What the keys do; nil if they do nothing.
  package var keys: String?
  /// How to end the session.
  package var ending = "Ctrl-C ends"
  /// The last warning.
  package var notice: String?

  package init(port: String, device: String, firmware: Firmware, baud: Int) {
    self.port = port
    self.device = device
    self.firmware = firmware
    self.baud = baud
    senderBaud = baud
  }

  /// How long after the last byte its description can still change without new input.
  private static let settlingTime = Interval.milliseconds(250)

  /// Whether a later screen can differ even if nothing else happens.
  package var changesByItself: Bool {
    isShaftMoving || others.contains { $0.isShaftMoving }
      || recent.last.map { time - $0.arrived < Self.settlingTime } ?? false
  }

  /// The sketch's name: its profile's, or that of the firmware.
  package var sketchName: String { profile?.name ?? firmware.rawValue }

  /// Whether the commands that were sent are known, by the profile.
  package var describesCommands: Bool { profile?.hasCommands ?? false }

  /// Returns the view's name for the servo on a pin.
  func label(ofServoOn pin: BoardPin) -> String { (profile?.servos ?? []).label(of: pin) }

  /// Whether aims arrive as quickly as from a camera, so that single ones are not of interest.
  var isFollowing: Bool {
    let aims = recent.suffix(24).filter {
      $0.fate == .terminator && time - $0.arrived < Self.settlingTime
    }
    return aims.count >= 3
  }

  /// How far the board is behind, in whole tenths of a second; nil if that is not worth showing.
  var shownBehind: Interval? {
    behind < .milliseconds(500) ? nil : .milliseconds(behind.nanoseconds / 100_000_000 * 100)
  }

  /// The status with its time rounded down to the whole seconds shown. Equal statuses look the
  /// same.
  package var asShown: LiveStatus {
    var status = self
    status.time.nanoseconds -= time.nanoseconds % 1_000_000_000
    status.behind = shownBehind ?? .zero
    return status
  }
}

extension LiveStatus {
  /// The maximum number of commands that a dashboard lists.
  private static var commandsMax: Int { 12 }

  /// What a dashboard shows of the session except its commands, as members of a JSON object.
  /// Unknown values are null, because a dashboard keeps the last value of a missing member.
  package var dashboardMembers: [JSONValue.Member] {
    [
      .init("device", deviceJSON), .init("servos", .array(servos)),
      .init("sketch", .text(activity?.description)), .init("tone", .shortest(toneHertz)),
      .init("bytes", bytes), .init("commands_taken", .whole(counts.commands)),
      .init("pins", .array(pinsJSON)), .init("inputs", inputsJSON), .init("forms", forms),
      .init("unanswered", unanswered.map { .string(SerialLog.text($0)) } ?? .null),
    ]
  }

  /// The last commands as the sketch understood them or, with a profile, as they were sent; newest
  /// last.
  package var dashboardCommands: JSONValue {
    let found = RecentCommand.find(in: self, each: true)
    let commands = found.suffix(Self.commandsMax)
    return .array(
      commands.map { command in
        .object([
          .init("time", .seconds(command.time)), .init("text", .string(command.text)),
          .init("outcome", .string(command.outcome)),
          .init("standing", .string(command.standing.rawValue)),
        ])
      })
  }

  private var deviceJSON: JSONValue {
    .object([
      .init("name", .string(device)), .init("firmware", .string(sketch ?? firmware.rawValue)),
      .init("profile", .text(describesCommands ? profile?.name : nil)),
      .init("baud", .whole(baud)), .init("sender_baud", .whole(senderBaud)),
      .init("program", .text(program)),
    ])
  }

  private var pinsJSON: [JSONValue] {
    var shown = watchedPins.filter { pin in !pins.contains { $0.pin == pin } }.map {
      (pin: $0, isHigh: Bool?.none, changes: 0)
    }
    shown += pins.map { ($0.pin, $0.isHigh, $0.changes) }
    return shown.sorted { $0.pin < $1.pin }.map { pin, isHigh, changes in
      .object([
        .init("pin", .string(pin.name)),
        .init("name", .text(profile?.pins.first { $0.pin == pin }?.name)),
        .init("high", isHigh.map { .bool($0) } ?? .null), .init("changes", .whole(changes)),
      ])
    }
  }

  /// What is applied to the board, and what its parts can be told. A value is null until it is set.
  private var inputsJSON: JSONValue {
    guard let inputs else { return .null }
    var list: [JSONValue] = inputs.map { input in
      switch input {
      case .level(let pin, let isHigh):
        return .boardInput("set", pin.name, name(of: pin), .whole(isHigh ? 1 : 0), 0...1)
      case .voltage(let pin, let microvolts):
        return .boardInput(
          "analog", pin.name, name(of: pin), millionths(Int64(microvolts)), 0...5)
      case .part(let part, let value): return self.input(part, value)
      }
    }
    let absent = parts.keys.filter { part in !inputs.contains { $0.target == part.name } }
    list += absent.sorted { $0.name < $1.name }.map { self.input($0, nil) }
    return .array(list)
  }

  private func name(of pin: BoardPin) -> String? {
    profile?.pins.first { $0.pin == pin }?.name
  }

  private func input(_ part: BoardPart, _ value: Int64?) -> JSONValue {
    let told = parts[part] ?? PartInput(noun: "", range: 0..<1)
    return told.json(of: part, value.map { millionths($0) } ?? .null)
  }

  private func millionths(_ value: Int64) -> JSONValue { .shortest(Double(value) / 1e6) }

  /// The commands of a profile; null without one.
  private var forms: JSONValue {
    guard describesCommands, let profile else { return .null }
    return profile.forms
  }

  private var bytes: JSONValue {
    let lost = counts.lost.values.reduce(0) { $0 + $1 }
    return .object([
      .init("received", .whole(counts.received)), .init("on_line", .whole(counts.waitingOnLine)),
      .init("in_ring", .whole(counts.waitingInRing)), .init("lost", .whole(lost)),
      .init("from_board", .whole(counts.transmitted)),
    ])
  }

  private var servos: [JSONValue] {
    var servos: [JSONValue] = []
    if let degrees = commandedDegrees {
      servos.append(
        servo(ownPin, degrees, commandedMicroseconds, shaft: shaftDegrees, isMoving: isShaftMoving))
    }
    for other in others {
      servos.append(
        servo(
          other.pin, other.commandedDegrees, other.commandedMicroseconds,
          shaft: other.shaftDegrees, isMoving: other.isShaftMoving))
    }
    return servos
  }

  private func servo(
    _ pin: BoardPin?, _ degrees: UInt8, _ pulse: UInt16?, shaft: Double?, isMoving: Bool
  ) -> JSONValue {
    let pulseDegrees = pulse.map { Shaft.degrees(of: Double($0)) }
    return .object([
      .init("pin", .text(pin?.name)), .init("label", .text(pin.map { label(ofServoOn: $0) })),
      .init("commanded", .whole(degrees)),
      .init("pulse", .whole(pulse)), .init("pulse_degrees", Self.tenths(pulseDegrees)),
      .init("shaft", Self.tenths(shaft)), .init("moving", .bool(isMoving)),
    ])
  }

  /// A tenth of a degree is less than a dial can show.
  private static func tenths(_ angle: Double?) -> JSONValue {
    .shortest(angle.map { ($0 * 10).rounded() / 10 })
  }
}

/// What the live view shows of a servo other than the session's own.
package struct ServoStatus: Hashable, Sendable {
  package var pin: BoardPin
  /// The commanded angle in degrees, and its pulse.
  package var commandedDegrees: UInt8
  package var commandedMicroseconds: UInt16
  package var shaftDegrees: Double
  package var isShaftMoving: Bool

  package init(
    pin: BoardPin, commandedDegrees: UInt8, commandedMicroseconds: UInt16, shaftDegrees: Double,
    isShaftMoving: Bool
  ) {
    self.pin = pin
    self.commandedDegrees = commandedDegrees
    self.commandedMicroseconds = commandedMicroseconds
    self.shaftDegrees = shaftDegrees
    self.isShaftMoving = isShaftMoving
  }
}

extension Profile {
  /// Its commands as a page makes them.
  package var forms: JSONValue {
    .array(
      commands.map { form in
        .object([
          .init("text", .string(form.description)),
          .init("parts", .array(form.parts.compactMap { $0.json })),
        ])
      })
  }
}

extension PartInput {
  /// What a page shows of a part that can be told something: `value` is null until it is.
  package func json(of part: BoardPart, _ value: JSONValue) -> JSONValue {
    let highest = max(range.lowerBound, range.upperBound - 1)
    return .boardInput(
      "part", part.name, noun, value, Double(range.lowerBound) / 1e6...Double(highest) / 1e6)
  }
}

extension JSONValue {
  fileprivate static func boardInput(
    _ kind: String, _ target: String, _ name: String?, _ value: JSONValue,
    _ range: ClosedRange<Double>
  ) -> JSONValue {
    .object([
      .init("kind", .string(kind)), .init("target", .string(target)), .init("name", .text(name)),
      .init("value", value), .init("low", .shortest(range.lowerBound)),
      .init("high", .shortest(range.upperBound)),
    ])
  }
}

extension CommandForm.Part {
  /// How a dashboard makes it; nil if it sends nothing for it.
  fileprivate var json: JSONValue? {
    switch self {
    case .byte(let byte): return .object([.init("byte", .whole(byte))])
    case .either(let choices): return .object([.init("byte", .whole(choices.first))])
    case .optional, .pause: return nil
    case .number(let field): return Self.json(field, "digits", width: 0)
    case .digits(let field, let width): return Self.json(field, "digits", width: width)
    case .single(let field): return Self.json(field, "u8", width: 0)
    case .packed(let field, let packing): return Self.json(field, packing.rawValue, width: 0)
    case .checksum(let checksum):
      return .object([
        .init("checksum", .string(checksum.kind.rawValue)),
        .init("hexadecimal", .bool(checksum.isHexadecimal)),
        .init("first", .whole(checksum.first)), .init("last", .whole(checksum.last)),
      ])
    }
  }

  private static func json(_ field: CommandField, _ kind: String, width: Int) -> JSONValue {
    .object([
      .init("name", .string(field.name)), .init("as", .string(kind)),
      .init("low", .whole(field.range.lowerBound)), .init("high", .whole(field.range.upperBound)),
      .init("decimals", .whole(field.decimals)), .init("width", .whole(width)),
    ])
  }
}
