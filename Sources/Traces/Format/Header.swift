package import Sketches

/// The first line of a trace.
package struct Header: Hashable, Sendable {
  package enum Start: String, Hashable, Sendable, CaseIterable {
    /// The board starts at time 0.
    case reset
    /// The board was already running.
    case unknown
  }

  package enum Clock: String, Hashable, Sendable, CaseIterable {
    /// The board's own clock.
    case device
    /// A computer's clock, with offset, drift and jitter.
    case host
  }

  package static let format = "sentry-trace"
  package static let version = "1"
  /// The longest name of a sketch, in bytes.
  private static let nameMax = 64

  /// All keys in their original order, including unknown ones.
  package private(set) var members: [JSONValue.Member]
  /// The sketch; nil if the header names none, or one without a model.
  package private(set) var firmware: Firmware?
  /// The name of a sketch without a model; nil if the header names none, or one with a model.
  package private(set) var otherFirmware: String?
  /// The board's speed and the sender's initial speed, in bits a second.
  package private(set) var baud = SerialLine.usualBaud
  package private(set) var duration: Interval?
  package private(set) var start = Start.reset
  package private(set) var clock = Clock.device
  /// The kinds that a verification compares; nil for every kind that occurs. Empty if the outputs
  /// were recorded too coarsely to be compared.
  package private(set) var expects: Set<Output.Kind>?
  package private(set) var statedTolerance: Interval?
  /// The resolution of the recorder's stamps; nil if the header does not state it.
  package private(set) var resolution: Interval?
  /// The largest error of a byte's time; nil if the times are exact.
  package private(set) var uncertainty: Interval?
  package private(set) var title: String?

  package init(
    firmware: Firmware, baud: Int = SerialLine.usualBaud, duration: Interval?, title: String?
  ) {
    members = [
      .init("format", .string(Self.format)), .init("version", .number(Self.version)),
      .init("firmware", .string(firmware.rawValue)), .init("board", .string("uno")),
      .init("baud", .number("\(baud)")),
    ]
    self.firmware = firmware
    self.baud = baud
    self.duration = duration
    self.title = title
    if let duration {
      members.append(.init("duration", JSONValue.number(String(shortest: duration))))
    }
    if let title { members.append(.init("title", .string(title))) }
  }

  /// How early or late an output can be, inclusive.
  package var tolerance: Interval { tolerance(on: clock) }

  /// Returns the same for a session whose outputs are stamped by `clock`.
  package func tolerance(on clock: Clock) -> Interval {
    statedTolerance ?? (clock == .device ? .microseconds(200) : .milliseconds(20))
  }

  /// When the session ends; nil if at its last event.
  package var end: Instant? { duration.map { .zero + $0 } }

  /// Returns when the part of the session ends in which the trace shows everything that was sent.
  /// `last` is the time of its last event.
  package func shownEnd(lastEvent last: Instant) -> Instant {
    guard case .number(let text)? = value("to"), let length = Interval(decimalSeconds: text) else {
      return end ?? last
    }
    return max(.zero + length, last)
  }

  /// Returns the requested firmware, or else the trace's own, or else guarded.
  package func firmware(unless other: Firmware?) -> Firmware { other ?? firmware ?? .guarded }

  /// The name of the sketch; that of guarded if the header names none.
  package var sketchName: String { otherFirmware ?? firmware(unless: nil).rawValue }

  package mutating func set(clock: Clock) {
    self.clock = clock
    members.removeAll { $0.key == "clock" }
    if clock == .host { set("clock", .string(clock.rawValue)) }
  }

  package mutating func set(start: Start) {
    self.start = start
    members.removeAll { $0.key == "start" }
    if start == .unknown { set("start", .string(start.rawValue)) }
  }

  package mutating func set(firmware: Firmware) {
    self.firmware = firmware
    otherFirmware = nil
    set("firmware", .string(firmware.rawValue))
  }

  /// Sets the sketch by any name. A name that a trace cannot have is made valid.
  package mutating func set(sketch name: String) {
    let name = PlainText.of(name, upTo: Self.nameMax / 2)
    if let firmware = Firmware(rawValue: name) {
      set(firmware: firmware)
    } else {
      firmware = nil
      otherFirmware = name.isEmpty || name.utf8.count > Self.nameMax ? "program" : name
      set("firmware", .string(otherFirmware ?? ""))
    }
  }

  package mutating func set(duration: Interval) {
    self.duration = duration
    set("duration", .number(String(shortest: duration)))
  }

  /// Sets how exact the times are: the resolution of the stamps, and the largest error of a byte's
  /// time.
  package mutating func set(resolution: Interval, uncertainty: Interval?) {
    self.resolution = resolution
    set("resolution", .number(String(shortest: resolution)))
    guard let uncertainty else { return }
    self.uncertainty = uncertainty
    set("uncertainty", .number(String(shortest: uncertainty)))
  }

  package mutating func removeUncertainty() {
    (resolution, uncertainty) = (nil, nil)
    members.removeAll { $0.key == "resolution" || $0.key == "uncertainty" }
  }

  package mutating func set(expects kinds: Set<Output.Kind>) {
    expects = kinds
    let names = Output.Kind.allCases.filter { kinds.contains($0) }.map { JSONValue.string($0.name) }
    set("expects", .array(names))
  }

  package mutating func set(tolerance: Interval) {
    statedTolerance = tolerance
    set("tolerance", .number(String(shortest: tolerance)))
  }

  /// Marks the trace as containing only what happened after an instant. The board was already
  /// running then, and a reader that does not have its state cannot know more.
  package mutating func set(from instant: Instant) {
    set(start: .unknown)
    set("from", .number(String(shortest: instant - .zero)))
  }

  /// Marks the trace as showing what was sent only until an instant. From there to its end, nothing
  /// more is assumed to have been sent.
  package mutating func set(to instant: Instant) {
    set("to", .number(String(shortest: instant - .zero)))
  }

  /// The pins whose levels the session shows, as the header states them: those that never changed
  /// have no event.
  package var pins: Set<BoardPin> {
    guard case .array(let items)? = value("pins") else { return [] }
    return Set(
      items.compactMap { item in
        if case .string(let name) = item { BoardPin(name: name) } else { nil }
      })
  }

  package mutating func set(pins: Set<BoardPin>) {
    members.removeAll { $0.key == "pins" }
    guard !pins.isEmpty else { return }
    set("pins", .array(pins.sorted().map { .string($0.name) }))
  }

  /// What a camera on the turret sees; nil if the header does not state it.
  package var view: CameraView? {
    guard case .array(let items)? = value("view") else { return nil }
    var ends: [Double] = []
    for item in items {
      guard case .number(let text) = item, let number = Double(text) else { return nil }
      ends.append(number)
    }
    guard ends.count == 2 || ends.count == 4, ends[0] < ends[1] else { return nil }
    guard ends.count == 4 else { return CameraView(ends[0]...ends[1]) }
    return ends[2] < ends[3] ? CameraView(ends[0]...ends[1], tilt: ends[2]...ends[3]) : nil
  }

  package mutating func set(view: CameraView) {
    let ranges = [view.pan] + (view.tilt.map { [$0] } ?? [])
    let ends = ranges.flatMap { [$0.lowerBound, $0.upperBound] }
    set("view", .array(ends.map { .number(String(shortest: $0)) }))
  }

  /// The profile as the header states it; nil if there is none.
  package var profile: JSONValue? { value("profile") }

  package mutating func set(profile: JSONValue) { set("profile", profile) }

  package mutating func removeProfile() { members.removeAll { $0.key == "profile" } }

  /// Sets the board's speed, in bits a second, unless the header states one.
  package mutating func set(unstatedBaud baud: Int) {
    guard value("baud") == nil else { return }
    self.baud = baud
    set("baud", .number("\(baud)"))
  }

  /// The time of recording; nil if the header does not state it.
  package var recorded: String? {
    if case .string(let text)? = value("recorded") { text } else { nil }
  }

  package mutating func set(source: String) {
    set("source", .string(source))
  }

  /// Sets the time of recording, as in RFC 3339.
  package mutating func set(recorded: String) {
    set("recorded", .string(recorded))
  }

  /// The format's own order of the keys.
  private static let order = [
    "format", "version", "firmware", "profile", "board", "baud", "duration", "to", "start", "clock",
    "expects", "pins", "view", "tolerance", "resolution", "uncertainty", "title", "source",
    "recorded",
  ]

  /// Replaces a key's value, or inserts the key before those that follow it in the format's order.
  private mutating func set(_ key: String, _ value: JSONValue) {
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index].value = value
      return
    }
    let later = Self.order.firstIndex(of: key).map { Self.order[($0 + 1)...] } ?? []
    let index = members.firstIndex { later.contains($0.key) } ?? members.endIndex
    members.insert(.init(key, value), at: index)
  }

  // MARK: Reading

  init(_ scanner: inout LineScanner) throws(LineScanner.Failure) {
    let line = try HeaderLine(&scanner, format: Self.format, version: Self.version)
    members = line.members.map { .init($0.key, $0.value) }
    for (key, value, offset) in line.members {
      do {
        try read(.init(key, value))
      } catch {
        throw .init(offset: offset, message: error.message)
      }
    }
  }

  private struct Unexpected: Error {
    var message: String

    init(_ key: String, _ expected: String, _ found: JSONValue) {
      message = "expected \"\(key)\" to be \(expected), found \(found.noun)"
    }
  }

  private func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  private mutating func read(_ member: JSONValue.Member) throws(Unexpected) {
    switch member.key {
    case "firmware":
      guard case .string(let name) = member.value, !name.isEmpty,
        name.utf8.count <= Self.nameMax
      else {
        throw Unexpected("firmware", "a name of 1 to \(Self.nameMax) bytes", member.value)
      }
      firmware = Firmware(rawValue: name)
      otherFirmware = firmware == nil ? name : nil
    case "start": start = try Self.choice(member)
    case "clock": clock = try Self.choice(member)
    case "board":
      guard member.value == .string("uno") else {
        throw Unexpected("board", "\"uno\"", member.value)
      }
    case "baud":
      guard case .number(let text) = member.value, let baud = Int(text),
        SerialLine.bauds.contains(baud)
      else {
        throw Unexpected(
          "baud", "a speed from \(SerialLine.bauds.lowerBound) to \(SerialLine.bauds.upperBound)",
          member.value)
      }
      self.baud = baud
    case "duration": duration = try Self.seconds(member)
    case "tolerance": statedTolerance = try Self.seconds(member)
    case "resolution": resolution = try Self.seconds(member)
    case "uncertainty": uncertainty = try Self.seconds(member)
    case "expects": expects = try Self.kinds(member)
    case "pins":
      guard case .array(let items) = member.value, items.count == pins.count else {
        throw Unexpected("pins", "a list of pins, each once (\(BoardPin.names))", member.value)
      }
    case "title": title = try Self.text(member)
    case "source", "recorded": _ = try Self.text(member)
    default: break
    }
  }

  private static func choice<Choice: RawRepresentable & CaseIterable>(
    _ member: JSONValue.Member
  ) throws(Unexpected) -> Choice where Choice.RawValue == String {
    if case .string(let text) = member.value, let choice = Choice(rawValue: text) { return choice }
    let choices = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    throw Unexpected(member.key, choices, member.value)
  }

  private static func text(_ member: JSONValue.Member) throws(Unexpected) -> String {
    guard case .string(let text) = member.value else {
      throw Unexpected(member.key, "a string", member.value)
    }
    return text
  }

  private static func seconds(_ member: JSONValue.Member) throws(Unexpected) -> Interval {
    if case .number(let text) = member.value, let interval = Interval(decimalSeconds: text) {
      return interval
    }
    throw Unexpected(
      member.key, "seconds below 1 000 000 000, with at most nine places", member.value)
  }

  private static func kinds(_ member: JSONValue.Member) throws(Unexpected) -> Set<Output.Kind> {
    let names = Output.Kind.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")
    guard case .array(let items) = member.value else {
      throw Unexpected("expects", "a list of some of \(names)", member.value)
    }
    var kinds: Set<Output.Kind> = []
    for item in items {
      guard case .string(let text) = item,
        let kind = Output.Kind(name: text)
      else { throw Unexpected("expects", "a list of some of \(names)", item) }
      kinds.insert(kind)
    }
    return kinds
  }
}

extension Interval {
  /// Parses seconds below the limit, written as a decimal without sign and with at most nine
  /// decimal places, with or without an exponent. Nil for anything else.
  package init?(decimalSeconds text: String, limit: Int64 = 1_000_000_000) {
    var text = text
    let length = text.withUTF8 { bytes -> Interval? in
      var scanner = LineScanner(UnsafeRawBufferPointer(bytes))
      guard let length = try? scanner.takeLength("seconds", limit: limit), scanner.isAtEnd else {
        return nil
      }
      return length
    }
    guard let length else { return nil }
    self = length
  }
}

extension JSONValue {
  /// A profile, as a header states it under `profile`.
  package init(_ profile: Profile) {
    func bytes(_ bytes: [UInt8]) -> JSONValue {
      .string(CommandForm(bytes.map { .byte($0) }).description)
    }
    func pins(_ pins: [Profile.NamedPin]) -> JSONValue {
      .object(pins.map { Member($0.name, .string($0.pin.name)) })
    }
    var members = [
      Member("name", .string(profile.name)),
      Member("commands", .array(profile.commands.map { .string($0.description) })),
    ]
    let replaceable = profile.commands.filter { $0.isReplaceable }
    if !replaceable.isEmpty {
      members.append(Member("replaces", .array(replaceable.map { .string($0.description) })))
    }
    let answers = profile.commands.compactMap { form in
      form.answer.map { Member(form.description, .string($0.text)) }
    }
    if !answers.isEmpty { members.append(Member("answers", .object(answers))) }
    if let baud = profile.baud { members.append(Member("baud", .number("\(baud)"))) }
    if !profile.servos.isEmpty { members.append(Member("servos", pins(profile.servos))) }
    if !profile.pins.isEmpty { members.append(Member("pins", pins(profile.pins))) }
    if !profile.boot.isEmpty { members.append(Member("boot", bytes(profile.boot))) }
    if let hold = profile.hold { members.append(Member("hold", bytes(hold))) }
    if let scan = profile.scan { members.append(Member("scan", bytes(scan))) }
    if let centre = profile.centre { members.append(Member("centre", bytes(centre))) }
    self = .object(members)
  }
}

extension Header {
  /// The servos that the header's profile names. Invalid entries are left out; the code that needs
  /// the profile's commands reports them.
  package var namedServos: [Profile.NamedPin] {
    guard case .object(let servos)? = profile?["servos"] else { return [] }
    return servos.compactMap { servo in
      guard ProfileName.isValid(servo.key), case .string(let name) = servo.value,
        let pin = BoardPin(name: name)
      else { return nil }
      return Profile.NamedPin(servo.key, pin)
    }
  }
}

/// What a camera on a turret sees, in degrees from where the shafts point.
package struct CameraView: Hashable, Sendable {
  package var pan: ClosedRange<Double>
  /// Nil on a turret that does not tilt.
  package var tilt: ClosedRange<Double>?

  package init(_ pan: ClosedRange<Double>, tilt: ClosedRange<Double>? = nil) {
    self.pan = pan
    self.tilt = tilt
  }
}
