package import Devices
import Judging
import Pictures
import Sketches
package import Traces

/// What the program's commands print for a trace, byte for byte.
package enum SessionCommand: String, CaseIterable {
  case replay, explain, plot
  case explainJSON = "explain-json"

  /// Runs the command on the model.
  func run(_ text: [UInt8]) throws(TraceError) -> [UInt8] {
    switch self {
    case .replay: return try Self.replay(text, on: ModelSource())
    case .explain, .explainJSON:
      let account = try SessionAccount(text, path: "input", limit: .page)
      let lines = self == .explainJSON ? account.jsonLines : account.lines
      return lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    case .plot: return try Self.plot(text)
    }
  }

  private static func reader(_ text: [UInt8]) throws(TraceError) -> TraceReader {
    var reader = try TraceReader(text: text, path: "input")
    try reader.limit(to: .page)
    return reader
  }

  package static func replay<Made>(
    _ text: [UInt8], on source: some DeviceSource<Made>
  ) throws(TraceError) -> [UInt8] {
    var reader = try reader(text)
    reader.adoptSketch(of: source)
    let firmware = try source.firmware(of: reader.header, in: "input", unless: nil)
    let showsPulses = try reader.hasPulses
    let device = try made(on: source, for: reader.header, firmware, showsPulses: showsPulses)
    return try replay(&reader, device, from: source.name, showsPulses: showsPulses)
  }

  private static func replay(
    _ reader: inout TraceReader, _ device: some Device, from source: String, showsPulses: Bool
  ) throws(TraceError) -> [UInt8] {
    var device = device
    var kinds = device.capabilities.observes
    if kinds.contains(.pin) { device.watch(try reader.levelPins) }
    if !showsPulses { kinds = kinds.filter { !$0.isOnRequest } }
    let header = reader.header.replayed(unless: nil, on: device.capabilities, source: source)
    var result: [UInt8] = []
    result.appendLine(header)
    var replay = Replay(device, until: header.end, kinds: kinds)
    while let event = try reader.next() {
      replay.take(event) { result.appendLine($0) }
      if replay.simulation.fault != nil { break }
    }
    replay.finish(after: reader.time) { result.appendLine($0) }
    return result
  }

  private static func plot(_ text: [UInt8]) throws(TraceError) -> [UInt8] {
    var whole = try reader(text)
    let doubt = try RecordingFacts(&whole, firmware: nil).fault?.sentence
    var first = try reader(text)
    if first.header.otherFirmware != nil { return try plot(&first, nil, doubt, on: SilentSource()) }
    let source = ModelSource()
    var divergence: Divergence?
    if case .diverges(let found) = try Verification().verify(&first, on: source).outcome {
      divergence = found
    }
    var reader = try reader(text)
    return try plot(&reader, divergence, doubt, on: source)
  }

  private static func plot<Made>(
    _ reader: inout TraceReader, _ divergence: Divergence?, _ doubt: String?,
    on source: some DeviceSource<Made>
  ) throws(TraceError) -> [UInt8] {
    let header = reader.header
    let firmware = header.firmware(unless: nil)
    let device = try made(on: source, for: header, firmware, showsPulses: true)
    var session = try PlottedSession.make(
      &reader, on: device, named: source.name, firmware: firmware, sketch: header.otherFirmware,
      servo: .sg90, divergence: divergence)
    session.doubt = doubt
    return Array(SessionPicture.svg(of: session).utf8)
  }

  private static func made<Made>(
    on source: some DeviceSource<Made>, for header: Header, _ firmware: Firmware, showsPulses: Bool
  ) throws(TraceError) -> Made {
    do throws(DeviceError) {
      return try source.makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    } catch {
      throw TraceError(.usage, path: "input", error.description)
    }
  }
}

extension SessionLimit {
  /// The limit for a session in a page.
  package static let page = SessionLimit(remedy: "sentrybench has the option --allow-long")
}
