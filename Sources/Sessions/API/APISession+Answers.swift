import Devices
import Pictures
import Traces
import Turret
import Verification

// What a client can ask without changing anything.
extension APISession {
  func hello(_ id: APIRequest.ID, _ moment: APIMoment) -> [UInt8] {
    var message = APIMessage(answering: id)
    message.add("version", APIRequest.version)
    message.add("time", moment.now)
    message.add("virtual", .bool(setting.isVirtual))
    message.add("device", .string(setting.device))
    message.add("firmware", .string(setting.setup.firmware.rawValue))
    message.add("baud", setting.setup.baud)
    message.add(
      "shows", .array(setting.setup.observes.map { $0.name }.sorted().map { .string($0) }))
    message.add(
      "environment", .object(setting.environment.map { .init($0.name, .string($0.value)) }))
    return message.line
  }

  func state(_ id: APIRequest.ID, _ moment: APIMoment) -> [UInt8] {
    let activity = moment.activity ?? record.activity
    let counts = moment.counts
    var message = APIMessage(answering: id)
    message.add("time", moment.now)
    message.add("servo", number(counts.degrees.map { Int($0) }))
    message.add("pulse", number(counts.microseconds.map { Int($0) }))
    let shaft = (record.shaftDegrees * 10).rounded() / 10
    message.add("shaft", .number(String(shortest: shaft)))
    message.add("sweeping", .bool(activity?.isScanning ?? record.isSweeping))
    message.add("activity", activity.map { .string("\($0)") } ?? .null)
    message.add("ready", .bool(isListening(moment)))
    message.add("tone", counts.tone.map { .number(String(shortest: $0)) } ?? .null)
    message.add("on_line", moment.onTheWay)
    message.add("waiting", number(moment.waiting))
    message.add("baud", moment.baud)
    return message.line
  }

  func counts(_ id: APIRequest.ID, _ moment: APIMoment) -> [UInt8] {
    let counts = moment.counts
    var message = APIMessage(answering: id)
    message.add("time", moment.now)
    message.add("received", counts.received)
    message.add("commands", number(moment.commands))
    message.add("servo", counts.servoEvents)
    message.add("transmitted", counts.transmitted)
    let lost = counts.lost.sorted { $0.key.rawValue < $1.key.rawValue }
    message.add(
      "lost", .object(lost.map { .init($0.key.rawValue, .number("\($0.value)")) }))
    message.add("events", log.end)
    message.add("rules", rules.openCount)
    return message.line
  }

  func events(_ id: APIRequest.ID, from index: Int, max: Int) -> [UInt8] {
    let (first, lines) = log.events(from: index, max: max)
    var message = APIMessage(answering: id)
    message.add("from", first)
    message.add("next", first + lines.count)
    message.add("lost", Swift.max(0, first - index))
    message.add("events", list: lines)
    return message.line
  }

  private func number(_ value: Int?) -> JSONValue { value.map { .number("\($0)") } ?? .null }

  // MARK: Accounts of the whole session

  /// The most bytes that an explanation contains.
  private static let explainedMax = 100_000

  /// Returns the explanation, the picture or the trace of the session so far.
  func account(
    _ request: APIRequest, _ id: APIRequest.ID, _ moment: APIMoment
  ) throws(Refusal) -> [UInt8] {
    var message = APIMessage(answering: id)
    do throws(TraceError) {
      let text = try whole(until: moment.settled)
      switch request {
      case .trace: message.add("trace", .string(String(decoding: text, as: UTF8.self)))
      case .plot: message.add("svg", .string(try picture(of: text)))
      default:
        guard moment.counts.received <= Self.explainedMax else {
          throw TraceError(
            .tooLong, path: "session",
            "more than \(Self.explainedMax) bytes are not explained here; "
              + "\"sentrybench explain\" does it for a recording")
        }
        let explanation = try explanation(of: text)
        let lines = explanation.byteLines + explanation.misunderstandingLines
        message.add("text", .string(lines.joined(separator: "\n")))
        message.add("bytes", list: explanation.jsonLines.map { $0.utf8 })
      }
    } catch {
      throw Refusal(error.description)
    }
    return message.line
  }

  private func model(for header: Header) -> Model {
    ModelSource(timing: setting.setup.timing)
      .makeDevice(for: header, firmware: setting.setup.firmware, showsPulses: true)
  }

  private func explanation(of text: [UInt8]) throws(TraceError) -> Explanation {
    var reader = try TraceReader(text: text, path: "session")
    let ledger = try Ledger(&reader, model(for: reader.header))
    return Explanation(ledger, firmware: setting.setup.firmware)
  }

  private func picture(of text: [UInt8]) throws(TraceError) -> String {
    var reader = try TraceReader(text: text, path: "session")
    let session = try PlottedSession.make(
      &reader, on: model(for: reader.header), named: setting.device,
      firmware: setting.setup.firmware, servo: setting.setup.servo)
    return SessionPicture.svg(of: session)
  }
}
