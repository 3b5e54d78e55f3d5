package import Devices
package import Judging
package import Sketches
package import Traces

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
    if header.baud != 9_600 { subtitle += " · \(header.baud) baud" }
    let sessionEnd = limit ?? reader.time
    let end = min(sessionEnd, last)
    if start > .zero || end < sessionEnd {
      let times = [start, end, sessionEnd].map { String(shortest: $0 - .zero) }
      subtitle += " · \(times[0]) s to \(times[1]) s of \(times[2]) s"
    }
    let title = header.title.flatMap { $0.isEmpty ? nil : $0 } ?? fileName
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
