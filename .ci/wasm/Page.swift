import Devices
import Pictures
import Traces
import Turret
import Verification

// What a page calls: the pure modules as one function over bytes. The text of a trace goes in; what
// the program prints for it comes out.

/// The commands, by the numbers that the page passes.
private enum Command: Int32 {
  case replay, explain, explainJSON, plot
}

// One call at a time, on one thread.
nonisolated(unsafe) private var input: [UInt8] = []
nonisolated(unsafe) private var output: [UInt8] = []

/// Makes room for an input of so many bytes and returns where it is.
@_expose(wasm, "input")
@_cdecl("sentry_input")
public func makeInput(_ count: Int) -> UnsafeMutableRawPointer? {
  input = [UInt8](repeating: 0, count: count)
  return input.withUnsafeMutableBytes { $0.baseAddress }
}

/// Runs a command on the input. Returns the output's length, or -1 - that of a message.
@_expose(wasm, "run")
@_cdecl("sentry_run")
public func run(_ command: Int32) -> Int {
  do throws(TraceError) {
    output = try result(command)
    return output.count
  } catch {
    output = Array(error.description.utf8)
    return -1 - output.count
  }
}

/// Where the output is.
@_expose(wasm, "output")
@_cdecl("sentry_output")
public func outputAddress() -> UnsafeRawPointer? { output.withUnsafeBytes { $0.baseAddress } }

private func result(_ number: Int32) throws(TraceError) -> [UInt8] {
  let source = ModelSource()
  switch Command(rawValue: number) {
  case .replay: return try replay(on: source)
  case .explain:
    let explanation = try explanation(on: source)
    return lines(explanation.byteLines + explanation.misunderstandingLines)
  case .explainJSON: return lines(try explanation(on: source).jsonLines)
  case .plot: return try plot(on: source)
  case nil: return []
  }
}

private func reader() throws(TraceError) -> TraceReader {
  try TraceReader(text: input, path: "input")
}

private func lines(_ lines: [String]) -> [UInt8] {
  lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
}

private func replay(on source: ModelSource) throws(TraceError) -> [UInt8] {
  var reader = try reader()
  let firmware = reader.header.firmware(unless: nil)
  let showsPulses = try reader.hasPulses
  let device = source.makeDevice(
    for: reader.header, firmware: firmware, showsPulses: showsPulses)
  var kinds = device.capabilities.observes
  if !showsPulses { kinds = kinds.filter { !$0.isOnRequest } }
  let header = reader.header.replayed(
    as: firmware, on: device.capabilities, source: source.name)
  var text: [UInt8] = []
  text.appendLine(header)
  var replay = Replay(device, until: header.end, kinds: kinds)
  while let event = try reader.next() { replay.take(event) { text.appendLine($0) } }
  replay.finish(after: reader.time) { text.appendLine($0) }
  return text
}

private func explanation(on source: ModelSource) throws(TraceError) -> Explanation {
  var reader = try reader()
  let firmware = reader.header.firmware(unless: nil)
  let device = source.makeDevice(for: reader.header, firmware: firmware, showsPulses: false)
  return Explanation(try Ledger(&reader, device), firmware: firmware)
}

private func plot(on source: ModelSource) throws(TraceError) -> [UInt8] {
  var first = try reader()
  var divergence: Divergence?
  if case .diverges(let found) = try Verification().verify(&first, on: source).outcome {
    divergence = found
  }
  var reader = try reader()
  let firmware = reader.header.firmware(unless: nil)
  let device = source.makeDevice(for: reader.header, firmware: firmware, showsPulses: true)
  let session = try PlottedSession.make(
    &reader, on: device, named: source.name, firmware: firmware, servo: .sg90,
    divergence: divergence)
  return Array(SessionPicture.svg(of: session).utf8)
}
