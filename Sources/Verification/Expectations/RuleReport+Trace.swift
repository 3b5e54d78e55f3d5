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
    for (event, _) in events {
      if let kind = event.output?.kind { observes.insert(kind) }
    }
    if observes.isEmpty {
      observes = source.observes(firmware)
      do throws(DeviceError) {
        events = try Self.replayed(
          events.map { $0.event }, header, firmware, until: end, on: source)
      } catch {
        throw TraceError(.noInput, path: reader.path, error.description)
      }
    }
    var profile = try header.ownProfile(in: reader.path)
    if requested == nil, let sketch = header.otherFirmware {
      profile = profile ?? Profile(undescribed: sketch)
    }
    let setup = SessionSetup(
      firmware: firmware, profile: profile, timing: source.timing,
      baud: header.baud, start: header.start,
      observes: observes, reportsFates: header.clock == .device)
    var session = try SessionRules(rules, setup, open: open)
    for (event, line) in events where event.time <= end { session.take(event, line: line) }
    self = session.finish(at: end, sender: nil)
  }

  /// Returns the session that a trace's inputs lead to on a device.
  private static func replayed<Source: DeviceSource>(
    _ inputs: [Event], _ header: Header, _ firmware: Firmware, until end: Instant,
    on source: Source
  ) throws(DeviceError) -> [(event: Event, line: Int?)] {
    let device = try source.makeDevice(for: header, firmware: firmware, showsPulses: true)
    var replay = Replay(device, until: end, kinds: source.observes(firmware))
    var events: [(event: Event, line: Int?)] = []
    for input in inputs { replay.take(input) { events.append(($0, nil)) } }
    replay.finish(after: end) { events.append(($0, nil)) }
    if let fault = replay.simulation.fault { throw fault }
    return events
  }
}
