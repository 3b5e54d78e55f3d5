package import Devices
package import Traces
package import Turret
package import Verification

extension PlottedSession {
  /// Runs a trace's inputs through a device and records what a picture of it needs. The session
  /// ends at the trace's duration or, if it has none, at its last event.
  ///
  /// The device must be new and report its pulses; without pulses there is no shaft. `name` is the
  /// device's name in the picture. `divergence` is from verifying the same trace.
  package static func make(
    _ reader: inout TraceReader, on device: some Device, named name: String, firmware: Firmware,
    servo: ServoData, load: Double = 0, divergence: Divergence? = nil
  ) throws(TraceError) -> PlottedSession {
    let header = reader.header
    let limit = header.end
    var run = PlotRun(device, servo: servo, load: load)
    while let event = try reader.next() { run.take(event, limit: limit) }
    var subtitle = "\(firmware.rawValue) firmware · \(name) · \(servo.name)"
    if load > 0 { subtitle += " at \(XMLText.number(load * 100, places: 0)) % load" }
    if header.baud != 9_600 { subtitle += " · \(header.baud) baud" }
    var session = PlottedSession(
      title: header.title, subtitle: subtitle, end: limit ?? reader.time)
    session.scan = firmware.sketch.scan
    run.finish(&session)
    session.divergence = divergence
    return session
  }
}
