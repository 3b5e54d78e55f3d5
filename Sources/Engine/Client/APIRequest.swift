package import Judging
package import Sketches
package import Traces

/// A client's request to the session.
package enum APIRequest: Hashable, Sendable {
  /// Agrees on the version. `ends`: whether the session ends when this client disconnects.
  case hello(ends: Bool)
  /// Waits until the sketch listens.
  case ready
  /// Sends bytes at a time of the session; nil for now.
  case send([UInt8], at: Instant?)
  /// Applies a level or a voltage to a pin at a time of the session; nil for now.
  case input(BoardInput, at: Instant?)
  /// Sets the sender's speed, in bits a second.
  case speed(Int)
  /// Sets the sender's format.
  case format(LineFormat)
  /// Holds the line low for this long.
  case lineBreak(Interval)
  /// Sets or releases modem lines; nil leaves a line as it is.
  case lines(dtr: Bool?, rts: Bool?)
  /// Restarts the board. The bootloader owns the line for this long; nil for the usual time.
  case reset(Interval?)
  /// States a rule. A rule that waits for an output fails if it is not decided after `patience`;
  /// nil lets it wait until the end.
  case expect(Rule, patience: Interval?)
  case state
  case counts
  /// Returns at most `max` events from an index on.
  case events(from: Int, max: Int)
  /// Requests events as they happen, from an index on; nil for those from now on.
  case subscribe(from: Int?)
  case unsubscribe
  case explain
  case plot
  case trace
  /// Lets virtual time pass.
  case run(until: Instant)
  case end
}

extension APIRequest {
  /// The version of the protocol.
  static let version = 1

  /// Identifies the request that an answer belongs to: a number or a short text.
  package typealias ID = JSONValue

  /// A request that cannot be carried out, and why.
  package struct Mistake: Error, Hashable, Sendable {
    /// Nil if it could not be read.
    package var id: ID?
    package var message: String

    package init(id: ID?, message: String) {
      self.id = id
      self.message = message
    }
  }

  /// The values of `do`, each with the other keys that its request can have.
  static let keys: [(name: String, others: [String])] = [
    ("hello", ["version", "ends"]), ("ready", []), ("send", ["bytes", "at"]),
    ("set", ["pin", "level", "at"]), ("analog", ["pin", "volts", "at"]),
    ("part", ["part", "value", "at"]),
    ("speed", ["baud"]), ("format", ["format"]), ("break", ["seconds"]), ("lines", ["dtr", "rts"]),
    ("reset", ["dead"]),
    ("expect", ["rule", "place", "patience"]), ("state", []), ("counts", []),
    ("events", ["from", "max"]), ("subscribe", ["from"]), ("unsubscribe", []), ("explain", []),
    ("plot", []), ("trace", []), ("run", ["until"]), ("end", []),
  ]
}

extension APIRequest {
  /// The maximum number of events in one answer.
  static let eventsMax = 10_000
  private static let idMax = 80

  /// Parses a line without its newline.
  static func parse(_ line: [UInt8]) throws(Mistake) -> (id: ID, request: APIRequest) {
    let value: JSONValue
    do throws(TraceError) {
      value = try JSONValue.contents(of: line, path: "request")
    } catch {
      throw Mistake(id: nil, message: "column \(error.column): \(error.message)")
    }
    guard case .object(let members) = value else {
      throw Mistake(
        id: nil,
        message:
          "expected an object, for example {\"id\": 1, \"do\": \"state\"}, found \(value.noun)")
    }
    let id = try id(value["id"])
    do throws(Fault) {
      return (id, try request(value, members))
    } catch {
      throw Mistake(id: id, message: error.message)
    }
  }

  /// The reason why a request is not carried out.
  struct Fault: Error {
    var message: String

    init(_ message: String) { self.message = message }

    /// Reports that the value of `key` is not the expected one.
    init(_ key: String, _ expected: String, _ found: JSONValue?) {
      message = "expected \"\(key)\" to be \(expected), found \(found?.noun ?? "none")"
    }
  }

  private static func id(_ value: JSONValue?) throws(Mistake) -> ID {
    switch value {
    case .number(let digits)? where Int64(digits) != nil: return .number(digits)
    case .string(let text)? where text.unicodeScalars.count <= idMax: return .string(text)
    default:
      let expected = "a whole number or a text of at most \(idMax) characters"
      throw Mistake(id: nil, message: Fault("id", expected, value).message)
    }
  }

  private static func request(
    _ value: JSONValue, _ members: [JSONValue.Member]
  ) throws(Fault) -> APIRequest {
    let names = keys.map { $0.name }
    guard case .string(let name)? = value["do"] else {
      throw Fault("do", "one of \(names.joined(separator: ", "))", value["do"])
    }
    guard let known = keys.first(where: { $0.name == name }) else {
      var message = "expected \"do\" to be one of \(names.joined(separator: ", "))"
      message += ", found \(PlainText.quoted(name))"
      if let near = Nearest.name(to: name, among: names) {
        message += "; did you mean \"\(near)\"?"
      }
      throw Fault(message)
    }
    for member in members where member.key != "id" && member.key != "do" {
      guard known.others.contains(member.key) else {
        throw unknown(member.key, of: name, known.others)
      }
    }
    switch name {
    case "hello": return try hello(value)
    case "ready": return .ready
    case "send": return .send(try bytes(value["bytes"]), at: try time("at", value))
    case "set": return .input(.level(try pin(value), try level(value)), at: try time("at", value))
    case "analog":
      return .input(
        .voltage(try analogPin(value), microvolts: try microvolts(value)), at: try time("at", value)
      )
    case "part": return .input(try partInput(value), at: try time("at", value))
    case "speed": return .speed(try baud(value["baud"]))
    case "format":
      guard case .string(let name)? = value["format"], let format = LineFormat(name) else {
        throw Fault("format", "a format, for example \"8E1\"", value["format"])
      }
      return .format(format)
    case "break":
      guard let length = try hour("seconds", value) else {
        throw Fault("seconds", "a time of at most \(String(shortest: hour)) s", nil)
      }
      return .lineBreak(length)
    case "lines":
      let (dtr, rts) = (try flag("dtr", value), try flag("rts", value))
      guard dtr != nil || rts != nil else { throw Fault("dtr", "true or false", nil) }
      return .lines(dtr: dtr, rts: rts)
    case "reset": return .reset(try hour("dead", value))
    case "expect":
      let patience = try time("patience", value).map { $0 - Instant.zero }
      return .expect(try rule(value), patience: patience)
    case "state": return .state
    case "counts": return .counts
    case "events":
      let max = try count("max", value) ?? eventsMax
      guard (1...eventsMax).contains(max) else {
        throw Fault("max", "a number from 1 to \(eventsMax)", value["max"])
      }
      return .events(from: try count("from", value) ?? 0, max: max)
    case "subscribe": return .subscribe(from: try count("from", value))
    case "unsubscribe": return .unsubscribe
    case "explain": return .explain
    case "plot": return .plot
    case "trace": return .trace
    case "run":
      guard let until = try time("until", value) else { throw Fault("until", timeNoun, nil) }
      return .run(until: until)
    default: return .end
    }
  }

  private static func unknown(_ key: String, of name: String, _ others: [String]) -> Fault {
    let all = (["id", "do"] + others).joined(separator: ", ")
    var message = "expected the keys of \"\(name)\": \(all); found \(PlainText.quoted(key))"
    if let near = Nearest.name(to: key, among: others) { message += "; did you mean \"\(near)\"?" }
    return Fault(message)
  }

  // MARK: Values

  private static func hello(_ value: JSONValue) throws(Fault) -> APIRequest {
    guard value["version"] == .number("\(version)") else {
      throw Fault("version", "\(version), the only version of this program", value["version"])
    }
    return .hello(ends: try flag("ends", value) ?? false)
  }

  private static func bytes(_ value: JSONValue?) throws(Fault) -> [UInt8] {
    let expected = "a text whose characters are the bytes, U+0000 to U+00FF, as in a trace"
    guard case .string(let text)? = value else { throw Fault("bytes", expected, value) }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else { throw Fault("bytes", expected, value) }
      bytes.append(byte)
    }
    guard !bytes.isEmpty else { throw Fault("bytes", "at least one byte", value) }
    return bytes
  }

  private static func pin(_ value: JSONValue) throws(Fault) -> BoardPin {
    guard case .string(let name)? = value["pin"], let pin = BoardPin(name: name),
      pin.arduino != nil
    else {
      throw Fault("pin", "a pin of the board, \"D0\" to \"D13\" or \"A0\" to \"A5\"", value["pin"])
    }
    return pin
  }

  private static func analogPin(_ value: JSONValue) throws(Fault) -> BoardPin {
    guard case .string(let name)? = value["pin"], let pin = BoardPin(analogName: name) else {
      throw Fault("pin", "a pin of the board, \"D0\" to \"D13\" or \"A0\" to \"A7\"", value["pin"])
    }
    return pin
  }

  private static func level(_ value: JSONValue) throws(Fault) -> Bool {
    switch value["level"] {
    case .number("0")?, .bool(false)?: return false
    case .number("1")?, .bool(true)?: return true
    case let other: throw Fault("level", "0 or 1", other)
    }
  }

  private static func microvolts(_ value: JSONValue) throws(Fault) -> Int32 {
    guard case .number(let digits)? = value["volts"],
      let microvolts = BoardInput.microvolts(digits)
    else { throw Fault("volts", BoardInput.voltsNoun, value["volts"]) }
    return microvolts
  }

  private static func partInput(_ value: JSONValue) throws(Fault) -> BoardInput {
    guard case .string(let name)? = value["part"], let part = BoardPart(name) else {
      throw Fault("part", "a part, such as \(BoardPart.examples)", value["part"])
    }
    guard case .number(let digits)? = value["value"],
      let millionths = BoardInput.millionths(digits)
    else { throw Fault("value", "a number from 0 with at most six places", value["value"]) }
    return .part(part, millionths: millionths)
  }

  private static func flag(_ key: String, _ value: JSONValue) throws(Fault) -> Bool? {
    switch value[key] {
    case nil: return nil
    case .bool(let flag)?: return flag
    case let other: throw Fault(key, "true or false", other)
    }
  }

  private static func count(_ key: String, _ value: JSONValue) throws(Fault) -> Int? {
    switch value[key] {
    case nil: return nil
    case .number(let digits)? where Int32(digits).map { $0 >= 0 } ?? false: return Int(digits)
    case let other: throw Fault(key, "a whole number of at least 0", other)
    }
  }

  private static func baud(_ value: JSONValue?) throws(Fault) -> Int {
    let bauds = SerialLine.bauds
    guard case .number(let digits)? = value, let baud = Int(digits), bauds.contains(baud) else {
      throw Fault("baud", "a speed from \(bauds.lowerBound) to \(bauds.upperBound)", value)
    }
    return baud
  }

  private static let timeNoun = "a time in seconds, for example 1.5"
  /// The latest time that a trace can contain.
  private static let timeMax = Interval.seconds(999_999_999)
  /// The longest break, and the longest time for which a bootloader can own the line.
  private static let hour = Interval.seconds(3_600)

  /// Parses a time of at most an hour; nil if there is no such key.
  private static func hour(_ key: String, _ value: JSONValue) throws(Fault) -> Interval? {
    guard let time = try time(key, value).map({ $0 - Instant.zero }) else { return nil }
    guard time <= hour else {
      throw Fault(key, "a time of at most \(String(shortest: hour)) s", value[key])
    }
    return time
  }

  /// Parses seconds, rounded up to whole microseconds; nil if there is no such key.
  private static func time(_ key: String, _ value: JSONValue) throws(Fault) -> Instant? {
    guard let found = value[key] else { return nil }
    guard case .number(let digits) = found, let time = Interval(withUnit: digits + "s"),
      time <= timeMax
    else {
      throw Fault(key, timeNoun, found)
    }
    return (.zero + time).roundedUpToMicrosecond
  }

  private static func rule(_ value: JSONValue) throws(Fault) -> Rule {
    var place = ""
    switch value["place"] {
    case nil: break
    case .string(let text)?: place = PlainText.of(text)
    case let other: throw Fault("place", "a text, for example \"test_aim.py:12\"", other)
    }
    guard let stated = value["rule"], case .object = stated else {
      throw Fault("rule", "an object, for example {\"servo\": 110}", value["rule"])
    }
    let rules: [Rule]
    do throws(NotationError) {
      rules = try RuleParser(path: place).rules(Notation(stated))
    } catch {
      throw Fault("in \"rule\": \(error.message)")
    }
    guard rules.count == 1, let rule = rules.first else { throw Fault("rule", "one rule", stated) }
    if case .sender = rule.requirement {
      throw Fault(
        "rule", "a rule about the session: how the sender ends is known to its client", stated)
    }
    return rule
  }
}

/// Splits a client's bytes into lines.
package struct APILines: Hashable, Sendable {
  package enum Line: Hashable, Sendable {
    /// Without its newline.
    case text([UInt8])
    /// A line longer than `lengthMax`, which is skipped.
    case tooLong
  }

  /// The maximum length of a line, in bytes.
  package static let lengthMax = 1 << 16

  private var rest: [UInt8] = []
  /// Whether the rest of a line is skipped because it is too long.
  private var isSkipping = false

  /// Takes more bytes. Returns the lines that are now complete, without empty ones.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in bytes {
      if byte == 0x0A {
        if let line = close() { lines.append(line) }
      } else if rest.count < Self.lengthMax {
        rest.append(byte)
      } else {
        isSkipping = true
      }
    }
    return lines
  }

  package init() {}

  /// Returns the last line if it has no newline.
  package mutating func finish() -> Line? { close() }

  private mutating func close() -> Line? {
    defer {
      rest.removeAll(keepingCapacity: true)
      isSkipping = false
    }
    if isSkipping { return .tooLong }
    if rest.last == 0x0D { rest.removeLast() }
    return rest.isEmpty ? nil : .text(rest)
  }
}
