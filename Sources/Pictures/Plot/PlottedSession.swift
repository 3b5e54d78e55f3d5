package import Devices
package import Judging
package import Sketches
package import Traces

/// The contents of a session's picture, as a value.
package struct PlottedSession: Hashable, Sendable {
  /// A value at an instant, in degrees unless specified as microseconds.
  package struct Sample: Hashable, Sendable {
    package var time: Instant
    package var value: Double

    package init(_ time: Instant, _ value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// A period in which the sketch did one thing.
  package struct Band: Hashable, Sendable {
    package var start: Instant
    package var end: Instant
    package var mode: ModeBand

    package init(_ start: Instant, _ end: Instant, _ mode: ModeBand) {
      self.start = start
      self.end = end
      self.mode = mode
    }
  }

  /// A period in which the buzzer sounded.
  package struct Tone: Hashable, Sendable {
    package var start: Instant
    package var end: Instant
    package var hertz: Double

    package init(_ start: Instant, _ end: Instant, hertz: Double) {
      self.start = start
      self.end = end
      self.hertz = hertz
    }
  }

  package var title: String?
  /// The firmware, device and servo.
  package var subtitle: String
  /// The first and the last instant of the picture.
  package var start = Instant.zero
  package var end: Instant
  /// Whether the session ends with the picture.
  package var isWhole = true
  /// The angles between which the sketch scans, degrees; nil if that is unknown.
  package var scan: ClosedRange<UInt8>? = 20...160
  /// The servo events: the commanded angle in degrees from each of them on.
  package var commanded: [Sample] = []
  /// The pulses on the pin: rising edge and width in microseconds.
  package var pulses: [Sample] = []
  /// The shaft's angle in degrees, connected by straight lines.
  package var shaft: [Sample] = []
  /// The other servos, in order of their pins, and how many more there are.
  package var others: [PlottedServo] = []
  package var undrawnServoCount = 0
  /// The name of the session's own servo in the legend, next to others. A recording does not state
  /// its pin.
  package var ownLabel = "first servo"
  /// Whether the legend lists the other servos in rows of their own.
  var hasServoRows: Bool { others.count > PlottedServo.colorCount }
  /// Whether the shaft follows the commanded pulses, because the pulses on the pin are unknown.
  package var shaftFollowsCommands = false
  /// The rows of levels, in order of kinds and pins, and how many more there are.
  package var levels: [PlottedLevel] = []
  package var undrawnLevelCount = 0
  package var modes: [Band] = []
  package var tones: [Tone] = []
  /// The instants at which the board restarted.
  package var resets: [Instant] = []
  package var bytes: [Ledger.Entry] = []
  /// From when on bytes are not drawn because there are too many; nil if all are.
  package var bytesEnd: Instant?
  /// A sentence about each servo's pin whose pulses were not as the sketch had stored.
  package var twitches: [String] = []
  /// A sentence about each mistake with the program's memory: see `Device.memoryFaults`.
  package var memoryFaults: [String] = []
  /// The trace's own servo events, if it has any.
  package var expected: [Sample] = []
  package var divergence: Divergence?
  /// What is wrong with the recording, as a sentence without its full stop; nil if nothing is.
  package var doubt: String?
  /// The range of the commanded angle over other timings of the same session, if the recorded times
  /// are uncertain.
  package var band: AngleBand?
  /// How those timings were made; nil if the recorded times are exact.
  package var worlds: String?
  /// When each byte can have arrived, if the recorded times are uncertain, in order.
  package var byteRanges: [ClosedRange<Instant>] = []
  /// Where the face was that the turret followed; nil if the trace does not say that.
  package var tracking: PlottedTracking?
  /// Whether samples were omitted because there were more than a picture can show.
  package var isThinned = false

  /// Whether a page's script can draw it: the script draws no other servos, and only the fates of a
  /// model.
  var isEnlargeable: Bool {
    others.isEmpty && bytes.allSatisfy { $0.fate != .taken && $0.fate != .arrived }
  }

  /// Whether something holds the shaft, so that its angle has a meaning.
  var hasShaft: Bool { !pulses.isEmpty || shaftFollowsCommands && !commanded.isEmpty }

  /// Whether the trace expected something that looks different from the device's output.
  var showsExpected: Bool {
    if expected.isEmpty { return false }
    // Thinned samples cannot be compared by index.
    if isThinned { return divergence != nil }
    // A shift of less than a pixel is not visible, even if it moves a sample past the edge.
    let visible = Interval(nanoseconds: (end - start).nanoseconds / 800)
    let (trace, device) = (settled(expected, visible), settled(commanded, visible))
    guard trace.count == device.count else { return true }
    return zip(trace, device).contains { trace, device in
      trace.value != device.value || (trace.time - device.time).magnitude > visible
    }
  }

  /// Returns the samples without those that hold for less than `visible` at an edge.
  private func settled(_ samples: [Sample], _ visible: Interval) -> ArraySlice<Sample> {
    var settled = samples[...]
    if start > .zero, settled.count > 1, settled[settled.startIndex + 1].time - start <= visible {
      settled.removeFirst()
    }
    if let last = settled.last, settled.count > 1, end - last.time <= visible {
      settled.removeLast()
    }
    return settled
  }
}

/// What the sketch was doing, as a picture shows it: an `Activity` without its values.
package enum ModeBand: String, Hashable, Sendable, CaseIterable {
  case startingUp = "starting up"
  case idle
  case scanningUp = "sweeping ↑"
  case scanningDown = "sweeping ↓"
  case readingNumber = "reading a number"
  case purging
  case sounding

  /// Returns nil for an activity that takes only microseconds; the mode before it continues.
  package init?(_ activity: Activity) {
    switch activity {
    case .startingUp: self = .startingUp
    case .idle: self = .idle
    case .readingNumber: self = .readingNumber
    case .purging: self = .purging
    case .aiming: return nil
    case .scanning(_, let rising): self = rising ? .scanningUp : .scanningDown
    case .sounding: self = .sounding
    }
  }

  /// Whether the mode lasts longer than a command, so that a crowd of commands does not hide it.
  var isIndependent: Bool {
    switch self {
    case .idle, .readingNumber: false
    case .startingUp, .scanningUp, .scanningDown, .purging, .sounding: true
    }
  }

  /// Its class in the picture's style sheet.
  var styleClass: String {
    switch self {
    case .startingUp: "m-start"
    case .idle: "m-idle"
    case .scanningUp: "m-up"
    case .scanningDown: "m-down"
    case .readingNumber: "m-number"
    case .purging: "m-purge"
    case .sounding: "m-sound"
    }
  }

  /// A short name that fits a narrow band.
  var shortName: String? {
    switch self {
    case .startingUp: "start"
    case .scanningUp: "↑"
    case .scanningDown: "↓"
    case .readingNumber: "number"
    case .idle, .purging, .sounding: nil
    }
  }
}

/// A row of levels in a session's picture: what the sketch puts on a pin, or what outputs of a kind
/// switch on and off.
package struct PlottedLevel: Hashable, Sendable {
  /// The maximum number in a picture: as many as there is room for.
  static let countMax = 8

  /// The row's label: for example `D7`, or `led`.
  package var name: String
  /// 1 or 0 from each sample on. The level before the first one is unknown.
  package var samples: [PlottedSession.Sample]

  package init(_ name: String, _ samples: [PlottedSession.Sample]) {
    self.name = name
    self.samples = samples
  }
}

/// A servo other than the session's own, in a session's picture.
package struct PlottedServo: Hashable, Sendable {
  /// The number of colours. From there on, dashes tell the lines apart.
  static let colorCount = 4
  /// The maximum number in a picture: as many as can be told apart by their colours and dashes.
  static let countMax = 20

  /// The servo's pin.
  package var pin: BoardPin
  /// Its name in the picture.
  package var label: String
  /// The commanded angle in degrees from each sample on.
  package var commanded: [PlottedSession.Sample]
  /// The shaft's angle in degrees, connected by straight lines; empty if it had no pulses.
  package var shaft: [PlottedSession.Sample]

  package init(
    _ pin: BoardPin, commanded: [PlottedSession.Sample], shaft: [PlottedSession.Sample] = []
  ) {
    self.pin = pin
    label = pin.name
    self.commanded = commanded
    self.shaft = shaft
  }
}

extension PlottedSession {
  /// Runs a trace's inputs through a device and records what a picture of it needs. The session
  /// ends at the trace's duration or, if it has none, at its last event.
  ///
  /// The device must be new and report its pulses; without pulses there is no shaft. The outputs of
  /// a device that observes none are the trace's own. `name` is the device's name in the picture.
  /// `sketch` is the name of a sketch that no model behaves as; nil for that of `firmware`.
  /// `divergence` is from verifying the same trace. `fileName` is the title if the trace has none.
  /// The picture shows the session from `start` to `last`, or to its end if that is earlier.
  /// `columns` is its resolution in time.
  package static func make(
    _ reader: inout TraceReader, on device: some Device, named name: String, firmware: Firmware,
    sketch: String? = nil, servo: ServoData, load: Double = 0, divergence: Divergence? = nil,
    fileName: String? = nil, from start: Instant = .zero, to last: Instant = .distantFuture,
    columns: Int64 = 1_000
  ) throws(TraceError) -> PlottedSession {
    let header = reader.header
    let limit = header.end
    var device = device
    let observed = device.capabilities.observes
    let ownServo = device.capabilities.ownServo
    if observed.contains(.pin) { device.watch(try reader.levelPins) }
    let followsCommands = observed.isEmpty ? try !reader.hasPulses : false
    var run = PlottedSessionRun(
      device, servo: servo, load: load, window: start...max(start, last), columns: columns,
      followsCommands: followsCommands)
    while let event = try reader.next() { run.take(event, limit: limit) }
    let sketchName = sketch.map { PlainText.of($0) } ?? firmware.rawValue
    var subtitle = "\(sketchName) firmware · \(name) · \(servo.name)"
    if load > 0 { subtitle += " at \(XMLText.number(load * 100, places: 0)) % load" }
    if header.baud != SerialLine.usualBaud { subtitle += " · \(header.baud) baud" }
    let sessionEnd = limit ?? reader.time
    let end = min(sessionEnd, last)
    if start > .zero || end < sessionEnd {
      let times = [start, end, sessionEnd].map { String(shortest: $0 - .zero) }
      subtitle += " · \(times[0]) s to \(times[1]) s of \(times[2]) s"
    }
    let shown = header.shownEnd(lastEvent: reader.time)
    if shown < end { subtitle += " · the recording ends at \(String(shortest: shown - .zero)) s" }
    let stated = header.title.flatMap { $0.isEmpty ? nil : $0 }
    let title = stated ?? fileName
    var session = PlottedSession(title: title, subtitle: subtitle, end: end)
    session.start = min(start, end)
    session.isWhole = end == sessionEnd
    session.scan = sketch == nil ? firmware.sketch.scan : nil
    session.shaftFollowsCommands = followsCommands
    run.finish(&session, sessionEnd: sessionEnd)
    let names = header.namedServos
    for index in session.others.indices {
      session.others[index].label = names.label(of: session.others[index].pin)
    }
    if let own = observed.isEmpty ? session.onlyUnlisted(of: names) : ownServo {
      session.ownLabel = names.label(of: own)
    }
    session.divergence = divergence
    session.tracking?.title = stated ?? "A turret that follows a face"
    session.tracking?.subtitle =
      [header.sketchName, fileName].compactMap { $0 }.joined(separator: ", ")
    return session
  }

  /// Returns the pin of the only named servo that is not among the others; nil if there is none, or
  /// if there are several.
  private func onlyUnlisted(of names: [Profile.NamedPin]) -> BoardPin? {
    let unlisted = names.filter { name in !others.contains { $0.pin == name.pin } }
    return unlisted.count == 1 ? unlisted[0].pin : nil
  }
}

extension PlottedSession {
  /// Records what a picture of a recorded session needs: from the model of its sketch or, if no
  /// model behaves as the sketch, from the trace's own outputs. `firmware` is the sketch whose
  /// model is used; nil for that of the header. `name` is the device's name in the picture; nil for
  /// the name of the source of the outputs.
  package static func recorded(
    _ reader: inout TraceReader, firmware: Firmware? = nil, timing: Timing? = nil,
    named name: String? = nil, servo: ServoData = .sg90
  ) throws(TraceError) -> PlottedSession {
    let header = reader.header
    let firmware = header.firmware(unless: firmware)
    if let sketch = header.otherFirmware {
      return try make(
        &reader, on: SilentBoard(for: header), named: name ?? SilentSource().name,
        firmware: firmware, sketch: sketch, servo: servo)
    }
    let source = ModelSource(timing: timing)
    let device = source.makeDevice(for: header, firmware: firmware, showsPulses: true)
    return try make(
      &reader, on: device, named: name ?? source.name, firmware: firmware, servo: servo)
  }
}

extension SessionPicture {
  /// Returns a picture of a session that is at hand as a trace, as SVG. `device` is the device's
  /// name.
  package static func svg(
    of trace: [UInt8], _ setup: SessionSetup, named device: String
  ) throws(TraceError) -> String {
    var reader = try TraceReader(text: trace, path: "session")
    let session = try PlottedSession.recorded(
      &reader, firmware: setup.firmware, timing: setup.timing, named: device, servo: setup.servo)
    return svg(of: session)
  }
}
