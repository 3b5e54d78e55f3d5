import Devices
import Judging
import Sketches
import Traces

/// The fate of each byte, according to the model.
func fates(_ firmware: Firmware, _ inputs: [Event], end: Instant) -> [Fate] {
  var text: [UInt8] = []
  text.appendLine(Header(firmware: firmware, duration: end - .zero, title: nil))
  for input in inputs { text.appendLine(input) }
  guard var reader = try? TraceReader(text: text, path: "inputs") else { return [] }
  let device = Model(firmware, for: reader.header, showsPulses: false)
  return ((try? Ledger(&reader, device))?.entries ?? []).map(\.fate)
}
