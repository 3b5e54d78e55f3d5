import Devices
package import Traces
package import Turret

/// What became of each byte of a recorded session: according to the model of its sketch or, if the
/// sketch has no model, as far as it was observed.
package enum SessionAccount: Sendable {
  case modelled(Explanation)
  case observed(ObservedExplanation)

  /// Reads a trace to its end.
  ///
  /// - Parameters:
  ///   - firmware: the sketch whose model is used; nil for the header's.
  ///   - timing: another build's figures; nil for the measured ones.
  package init(
    _ reader: inout TraceReader, firmware: Firmware? = nil, timing: Timing? = nil
  ) throws(TraceError) {
    let header = reader.header
    if let sketch = header.otherFirmware {
      let session = try ObservedSession(&reader, on: SilentBoard(for: header))
      self = .observed(ObservedExplanation(session, sketch: sketch))
    } else {
      let firmware = header.firmware(unless: firmware)
      let model = ModelSource(timing: timing)
        .makeDevice(for: header, firmware: firmware, showsPulses: false)
      self = .modelled(Explanation(try Ledger(&reader, model), firmware: firmware))
    }
  }

  /// A line for each byte, and what the sender did not get.
  package var lines: [String] {
    switch self {
    case .modelled(let explanation):
      explanation.byteLines + (explanation.objection.map { ["", $0] } ?? [])
        + explanation.misunderstandingLines
    case .observed(let explanation): explanation.byteLines + explanation.lossLines
    }
  }

  /// A JSON object for each byte.
  package var jsonLines: [String] {
    switch self {
    case .modelled(let explanation): explanation.jsonLines
    case .observed(let explanation): explanation.jsonLines
    }
  }
}
