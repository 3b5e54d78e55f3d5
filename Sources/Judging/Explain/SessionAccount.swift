package import Devices
package import Sketches
package import Traces

/// What became of each byte of a session whose trace is in memory: according to the model of its
/// sketch or, if the sketch has no model, as far as it was observed.
package struct SessionAccount: Sendable {
  private enum Kind {
    case modelled(Explanation)
    case observed(ObservedExplanation)
  }

  private let kind: Kind
  /// What shows whether the trace shows its session.
  package let facts: RecordingFacts

  /// Reads a trace to its end. `path` is its name in messages; `firmware`, the sketch of the model,
  /// nil for the header's; `timing`, another build's figures, nil for the measured ones.
  package init(
    _ text: [UInt8], path: String, firmware: Firmware? = nil, timing: Timing? = nil,
    limit: SessionLimit? = nil
  ) throws(TraceError) {
    var first = try TraceReader(text: text, path: path)
    try first.limit(to: limit)
    facts = try RecordingFacts(&first, firmware: firmware)
    var reader = try TraceReader(text: text, path: path)
    let header = reader.header
    if let sketch = header.otherFirmware {
      let session = try ObservedSession(&reader, on: SilentBoard(for: header))
      kind = .observed(ObservedExplanation(session, sketch: sketch))
    } else {
      let firmware = header.firmware(unless: firmware)
      let model = ModelSource(timing: timing)
        .makeDevice(for: header, firmware: firmware, showsPulses: false)
      let ledger = try Ledger(&reader, model)
      kind = .modelled(
        Explanation(ledger, firmware: firmware, end: header.shownEnd(lastEvent: reader.time)))
    }
  }

  /// What is wrong with the trace, a line for each byte, and what the sender did not get.
  package var lines: [String] {
    let lead = facts.fault.map { [$0.sentence] } ?? []
    return switch kind {
    case .modelled(let explanation):
      lead + explanation.byteLines + explanation.misunderstandingLines
        + explanation.restLines(facts)
    case .observed(let explanation):
      lead + explanation.byteLines + explanation.lossLines + explanation.restLines(facts)
    }
  }

  /// A JSON object for each byte.
  package var jsonLines: [String] {
    switch kind {
    case .modelled(let explanation): explanation.jsonLines
    case .observed(let explanation): explanation.jsonLines
    }
  }
}

extension Ledger {
  /// Runs a device through the reader's trace, up to its duration or its last event.
  package init(_ reader: inout TraceReader, _ device: some Device) throws(TraceError) {
    var simulation = Simulation(device, ledger: Ledger(listing: Ledger.listedMax))
    let end = reader.header.end
    var lost: [(time: Instant, byte: UInt8, fate: Fate)] = []
    while let event = try reader.next() {
      if case .fault(let strike) = event.kind, lost.count < Ledger.listedMax {
        lost += strike.losses(at: event.time)
      }
      guard event.isInput, event.time <= end ?? event.time else { continue }
      while simulation.step(to: event.time) {}
      simulation.feed(event)
    }
    while simulation.step(to: end ?? reader.time) {}
    self = simulation.finishLedger()
    insert(lost)
  }
}
