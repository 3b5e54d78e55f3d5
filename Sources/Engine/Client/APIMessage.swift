import Devices
import Sketches
import Traces

/// A message from a session to its client.
package enum APIMessage: Hashable, Sendable {
  /// The answer to a request.
  case answer(APIRequest.ID, APIAnswer)
  /// The answer to a request that cannot be carried out.
  case refusal(APIRequest.Mistake)
  /// A rule about the session as a whole has been broken since it was stated.
  case verdict(APIVerdict)
  /// Events that follow a subscription.
  case events(APIEvents)
  /// This many events were not kept long enough for the client's subscription.
  case lost(Int)
  /// The session has ended for a reason other than a request.
  case over(APIEnd)
}

// Messages as JSON.
extension APIMessage {
  /// The line for a client in another process, with its newline.
  package var line: [UInt8] {
    switch self {
    case .answer(let id, let answer):
      var line = APILine(answering: id)
      line.add(answer)
      return line.text
    case .refusal(let mistake): return APILine(mistake).text
    case .verdict(let verdict):
      var line = APILine(note: "verdict")
      line.add("rule", verdict.id)
      line.add(verdict.outcome.members)
      return line.text
    case .events(let events):
      var line = APILine(note: "events")
      line.add("from", events.first)
      line.add("events", list: events.lines)
      return line.text
    case .lost(let count):
      var line = APILine(note: "lost")
      line.add("events", count)
      return line.text
    case .over(let end):
      var line = APILine(note: "over")
      line.add(end)
      return line.text
    }
  }
}

extension APILine {
  fileprivate mutating func add(_ answer: APIAnswer) {
    switch answer {
    case .done(let time): add("time", time)
    case .hello(let greeting): add(greeting)
    case .verdict(let outcome): add(outcome.members)
    case .state(let state): add(state)
    case .counts(let counts): add(counts)
    case .events(let events):
      add("from", events.first)
      add("next", events.first + events.lines.count)
      add("lost", events.lost)
      add("events", list: events.lines)
    case .subscribed(let first): add("from", first)
    case .unsubscribed: break
    case .explanation(let explanation):
      add("text", explanation.lines.joined(separator: "\n"))
      add("bytes", list: explanation.bytes.map { $0.utf8 })
    case .picture(let svg): add("svg", svg)
    case .trace(let text): add("trace", String(decoding: text, as: UTF8.self))
    case .over(let end): add(end)
    }
  }

  private mutating func add(_ greeting: APIGreeting) {
    add("version", APIRequest.version)
    add("time", greeting.time)
    add("virtual", greeting.isVirtual)
    add("device", greeting.device)
    add("firmware", greeting.firmware)
    add("baud", greeting.baud)
    add("shows", .array(greeting.shows.map { .string($0.name) }))
    add("environment", .object(greeting.environment.map { .init($0.name, .string($0.value)) }))
  }

  private mutating func add(_ state: APIState) {
    add("time", state.time)
    add("servo", JSONValue.whole(state.servo))
    add("pulse", JSONValue.whole(state.pulse))
    add("shaft", JSONValue.shortest(state.shaft))
    add("sweeping", state.isSweeping)
    add("activity", JSONValue.text(state.activity?.description))
    add("ready", state.isReady)
    add("tone", JSONValue.shortest(state.tone))
    add("on_line", state.onTheLine)
    add("waiting", JSONValue.whole(state.waiting))
    add("baud", state.baud)
  }

  private mutating func add(_ counts: APICounts) {
    add("time", counts.time)
    add("received", counts.counts.received)
    add("commands", JSONValue.whole(counts.commands))
    add("servo", counts.counts.servoEvents)
    add("transmitted", counts.counts.transmitted)
    let lost = counts.counts.lost.sorted { $0.key.rawValue < $1.key.rawValue }
    add("lost", .object(lost.map { .init($0.key.rawValue, .number("\($0.value)")) }))
    add("events", counts.events)
    add("rules", counts.openRules)
  }

  fileprivate mutating func add(_ end: APIEnd) {
    add("time", end.time)
    add("status", Int(end.status.rawValue))
    add("holds", end.heldCount)
    add("fails", end.failedCount)
    add("rules", .array(end.rules.map { .object([.init("rule", $0.id)] + $0.outcome.members) }))
  }
}

/// A message as a line of JSON, for a client in another process.
struct APILine {
  private var bytes: [UInt8]

  init(answering id: APIRequest.ID, ok: Bool = true) {
    bytes = Array("{\"id\": \(id.text), \"ok\": \(ok)".utf8)
  }

  /// The answer to a request that cannot be carried out.
  init(_ mistake: APIRequest.Mistake) {
    self.init(answering: mistake.id ?? .null, ok: false)
    add("error", mistake.message)
  }

  /// A message that does not answer a request.
  init(note name: String) { bytes = Array("{\"note\": \(JSONValue.string(name).text)".utf8) }

  mutating func add(_ key: String, _ value: JSONValue) {
    begin(key)
    value.append(to: &bytes)
  }

  mutating func add(_ key: String, _ text: String) { add(key, .string(text)) }

  mutating func add(_ key: String, _ flag: Bool) { add(key, .bool(flag)) }

  mutating func add(_ key: String, _ number: Int) { add(key, .number("\(number)")) }

  mutating func add(_ key: String, _ time: Instant) { add(key, .number(String(canonical: time))) }

  /// Adds a list of values that are already JSON.
  mutating func add(_ key: String, list items: some Sequence<some Sequence<UInt8>>) {
    begin(key)
    bytes.append("[")
    var isFirst = true
    for item in items {
      if !isFirst { bytes.append(", ") }
      isFirst = false
      bytes.append(contentsOf: item)
    }
    bytes.append("]")
  }

  private mutating func begin(_ key: String) {
    bytes.append(", ")
    bytes.appendQuoted(key)
    bytes.append(": ")
  }

  mutating func add(_ members: [JSONValue.Member]) {
    for member in members { add(member.key, member.value) }
  }

  /// The text with its newline.
  var text: [UInt8] { bytes + Array("}\n".utf8) }
}
