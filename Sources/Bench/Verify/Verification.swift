package import Traces
package import Turret

/// Replays traces on a device and compares what the device does with what the trace expects.
package struct Verification: Sendable {
  package var device = DeviceKind.model
  /// Where the trace's own is not to be used.
  package var firmware: Firmware?
  /// Where the trace's own is not to be used.
  package var tolerance: Interval?

  package init() {}

  /// Verifies the trace that is read. `progress` is called now and then with the bytes read so far.
  package func verify(
    _ reader: inout TraceReader, progress: (Int) -> Void = { _ in }
  ) throws(TraceError) -> Verdict {
    let header = reader.header
    let device = self.device.makeDevice(
      for: header, firmware: header.firmware(unless: firmware),
      showsPulses: try reader.hasPulses)
    return try verify(&reader, on: device, progress: progress)
  }

  /// Verifies the trace that is read on a device of the caller's own, at the start of its session.
  package func verify(
    _ reader: inout TraceReader, on device: any Device, progress: (Int) -> Void = { _ in }
  ) throws(TraceError) -> Verdict {
    let header = reader.header
    if let expects = header.expects, !expects.isSubset(of: device.observes) {
      return Verdict(.cannotObserve(expects.subtracting(device.observes)))
    }
    let tolerance = tolerance ?? header.tolerance
    // The frames on the pin of a running board began nobody knows when, and no aim says whether it
    // reports its writes.
    let ignored: Set<Output.Kind> = header.start == .unknown ? [.pulse, .transmit] : []
    switch header.clock {
    case .device:
      let judge = Comparison(kinds: header.expects, ignoring: ignored, tolerance: tolerance)
      return try verify(&reader, device, tolerance, judge, progress)
    case .host:
      let judge = HostComparison(kinds: header.expects, ignoring: ignored, tolerance: tolerance)
      return try verify(&reader, device, tolerance, judge, progress)
    }
  }

  private func verify<J: Judge>(
    _ reader: inout TraceReader, _ device: any Device, _ tolerance: Interval, _ judge: J,
    _ progress: (Int) -> Void
  ) throws(TraceError) -> Verdict {
    var run = VerificationRun(device, tolerance: tolerance, judge, header: reader.header)
    var count = 0
    while let event = try reader.next() {
      run.take(event, line: reader.line)
      count += 1
      if count & 0xFFF == 0 { progress(reader.bytesRead) }
    }
    return run.finish(lastEvent: reader.time)
  }
}
