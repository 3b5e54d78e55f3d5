package import Devices
package import Traces
package import Turret

extension RuleReport {
  /// Judges a recorded session by rules.
  ///
  /// `open` opens the traces that rules name. The outputs are those that were recorded. If a trace
  /// has none and expects no kind of output, it is judged by the outputs of a device.
  package init<Source: DeviceSource>(
    _ rules: [Rule], _ reader: inout TraceReader, firmware requested: Firmware? = nil,
    on source: Source = ModelSource(), open: (String) throws(TraceError) -> TraceReader
  ) throws(TraceError) {
    var events: [(event: Event, line: Int?)] = []
    while events.count <= SessionRecord.eventCountMax, let event = try reader.next() {
      events.append((event, reader.line))
    }
    let header = reader.header
    let firmware = try source.firmware(of: header, in: reader.path, unless: requested)
    let end = header.end ?? reader.time
    var observes = header.expects ?? []
    var pins = header.pins
    for (event, _) in events {
      guard let output = event.output else { continue }
      observes.insert(output.kind)
      if case .pin(let pin, _) = output { pins.insert(pin) }
    }
    let profile = try header.ownProfile(in: reader.path)
    if observes.isEmpty {
      observes = source.observes(firmware)
      pins = SessionSetup(firmware: firmware, profile: profile).pins(of: rules)
      do throws(DeviceError) {
        events = try Self.replayed(
          events.map { $0.event }, header, firmware, until: end, watching: pins, on: source)
      } catch {
        throw TraceError(.noInput, path: reader.path, error.description)
      }
    }
    var known = profile
    if requested == nil, let sketch = header.otherFirmware {
      known = known ?? Profile(undescribed: sketch)
    }
    if !pins.isEmpty { observes.insert(.pin) }
    var setup = SessionSetup(
      firmware: firmware, profile: known, timing: source.timing,
      baud: header.baud, start: header.start,
      observes: observes, reportsFates: header.clock == .device)
    setup.pins = .some(pins)
    var session = try SessionRules(rules, setup, open: open)
    for (event, line) in events where event.time <= end { session.take(event, line: line) }
    self = session.finish(at: end, sender: nil)
  }

  /// Returns the session that a trace's inputs lead to on a device.
  private static func replayed<Source: DeviceSource>(
    _ inputs: [Event], _ header: Header, _ firmware: Firmware, until end: Instant,
    watching pins: Set<BoardPin>, on source: Source
  ) throws(DeviceError) -> [(event: Event, line: Int?)] {
    var device = try source.makeDevice(for: header, firmware: firmware, showsPulses: true)
    device.watch(.some(pins))
    var replay = Replay(device, until: end, kinds: source.observes(firmware))
    var events: [(event: Event, line: Int?)] = []
    for input in inputs { replay.take(input) { events.append(($0, nil)) } }
    replay.finish(after: end) { events.append(($0, nil)) }
    if let fault = replay.simulation.fault { throw fault }
    return events
  }
}
