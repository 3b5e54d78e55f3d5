import Aim
import Sketches
import Traces
import TurretLink

/// Aims for the phone's page as `sentrybench aim` does, and decides what is sent when: a value that
/// takes a request and returns an answer. It has no camera, no clock and no socket; the answer to a
/// wrong request is a message.
///
///     camera {"gravity": "aspect-fill", "stick": 1.2}
///     {"format": "sentry-observations", "version": 1, "image": [320, 240], "view": [390, 844]}
///
/// The options are named like those of `sentrybench aim`. `age` and `lead` are in seconds, and
/// change what `"follow": true` before them has chosen. The answer is empty. In the other requests,
/// `WORD TIME UNSENT`, the time is in seconds since any moment, and `UNSENT` is how many bytes the
/// socket has not sent.
///
/// | word | what happened | what follows the first line |
/// |---|---|---|
/// | `see` | a picture was searched | a frame of observations |
/// | `lose` | no picture can be seen | |
/// | `start`, `stop` | the page is to be connected, or not | for `start` the seed of the pauses |
/// | `connected` | the socket is open | |
/// | `message` | the gateway has sent a text | the text |
/// | `closed` | the socket is closed, or could not be opened | why: `STATUS TEXT` of an answer |
/// | `sleep`, `wake` | the page is left, or shown again | |
/// | `passed` | the time to wait is over | |
///
/// The answer is a JSON object:
///
/// | member | content |
/// |---|---|
/// | `sighting` | what the page shows after `see` and `lose`: `Sighting.pageValue`; or null |
/// | `actions` | what the page must do: `["connect"]`, `["send", TEXT]`, `["close"]` |
/// | `wait` | after how many milliseconds `passed` must follow if nothing else happens, or null |
/// | `room` | whether a picture can be sent on the socket, once it has sent everything else |
/// | `status` | what it shows of the connection: `PhoneLink.shown` |
package struct PhoneAim: Sendable {
  private struct Running: Sendable {
    var lines: ObservationLines
    var aimer: Aimer
  }

  private var running: Running?
  private var link = PhoneLink()

  package init() {}

  package mutating func answer(_ bytes: [UInt8]) -> PageAnswer {
    let request = PageRequest(bytes)
    do throws(PageFailure) {
      return PageAnswer(.result, try result(request))
    } catch {
      return PageAnswer(error)
    }
  }

  private mutating func result(_ request: PageRequest) throws(PageFailure) -> [UInt8] {
    if request.word == "camera" {
      running = try Self.begin(header: request.payload, options: request.argument)
      return []
    }
    let circumstances = PageRequest(Array(request.argument.utf8))
    guard let time = Double(circumstances.word), time.isFinite else {
      throw PageFailure("expected camera, or a word and the time in seconds")
    }
    link.take(.room(circumstances.argument == "0"), at: time)
    var sighting: Sighting?
    switch request.word {
    case "see": sighting = try see(request.payload)
    case "lose":
      // The page may stop running soon, so this does not wait.
      link.take(.room(true), at: time)
      sighting = lose()
      if sighting == nil { link.take(.send(.lost), at: time) }
    default:
      // The link has forgotten what was sent before.
      if request.word == "start" || request.word == "wake" { running?.aimer.reconnect() }
      guard link.take(request.word, request.payload, at: time) else {
        throw PageFailure("expected see, lose or an event of the connection")
      }
    }
    if let command = sighting?.command { link.take(.send(LinkCommand(command)), at: time) }
    var text = JSONText()
    text.add("sighting", sighting?.pageValue ?? .null)
    link.add(to: &text, at: time)
    return Array(text.text.utf8)
  }

  private mutating func see(_ frame: [UInt8]) throws(PageFailure) -> Sighting {
    guard var now = running else { throw PageFailure("expected a camera first") }
    let frame = try Self.parse(frame) { (line) throws(LineScanner.Failure) in
      try now.lines.frame(line)
    }
    defer { running = now }
    return now.aimer.see(frame)
  }

  private mutating func lose() -> Sighting? {
    guard var now = running else { return nil }
    defer { running = now }
    return now.aimer.see(Frame(time: now.lines.time.seconds, found: []))
  }

  private static func begin(header: [UInt8], options: String) throws(PageFailure) -> Running {
    let options = try AimOptions(page: options)
    let lines = try parse(header) { (line) throws(LineScanner.Failure) in
      try ObservationLines(header: line)
    }
    do throws(AimError) {
      return Running(lines: lines, aimer: try Aimer(camera: lines.camera, options: options))
    } catch {
      throw PageFailure(error.description)
    }
  }

  private static func parse<Value>(
    _ text: [UInt8], _ body: (UnsafeRawBufferPointer) throws(LineScanner.Failure) -> Value
  ) throws(PageFailure) -> Value {
    // Not `withUnsafeBytes`, which would lose the error's type.
    let line = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
    defer { line.deallocate() }
    line.copyBytes(from: text)
    do throws(LineScanner.Failure) {
      return try body(UnsafeRawBufferPointer(line))
    } catch {
      throw PageFailure("column \(error.offset + 1): \(error.message)")
    }
  }
}

extension AimOptions {
  /// Parses the options of the page: a JSON object whose members are named like the options of
  /// `sentrybench aim`. An empty text is an object without members.
  init(page text: String) throws(PageFailure) {
    self.init()
    guard !text.isEmpty else { return }
    let value = try PageFailure.of { () throws(TraceError) in
      try JSONValue.contents(of: Array(text.utf8), path: "options")
    }
    guard case .object(let members) = value else {
      throw PageFailure("expected options in an object, found \(value.noun)")
    }
    for member in members { try set(member.key, to: member.value) }
  }

  private mutating func set(_ key: String, to value: JSONValue) throws(PageFailure) {
    switch key {
    case "mapping": mapping = try Self.choice(key, value)
    case "gravity": gravity = try Self.choice(key, value)
    case "at": at = try Self.choice(key, value)
    case "mirror": mirror = try Self.flag(key, value)
    case "label":
      guard case .string(let text) = value else { throw Self.unexpected(key, "a text", value) }
      label = text
    case "min-confidence": minConfidence = try Self.number(key, value)
    case "max-overlap": maxOverlap = try Self.number(key, value)
    case "min-height": leastHeight = try Self.number(key, value)
    case "stick": stick = try Self.number(key, value)
    case "follow": follow = try Self.flag(key, value) ? .usual : nil
    // Seconds, for what was said to follow before.
    case "age": follow?.age = try Self.number(key, value)
    case "lead": follow?.lead = try Self.number(key, value)
    default: throw PageFailure("expected an option of the page, found \(PlainText.quoted(key))")
    }
  }

  private static func flag(_ key: String, _ value: JSONValue) throws(PageFailure) -> Bool {
    guard case .bool(let isOn) = value else { throw unexpected(key, "true or false", value) }
    return isOn
  }

  private static func number(_ key: String, _ value: JSONValue) throws(PageFailure) -> Double {
    guard case .number(let text) = value, let number = Double(text) else {
      throw unexpected(key, "a number", value)
    }
    return number
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ value: JSONValue
  ) throws(PageFailure) -> Choice {
    if case .string(let word) = value, let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    throw unexpected(key, words, value)
  }

  private static func unexpected(
    _ key: String, _ expected: String, _ found: JSONValue
  ) -> PageFailure {
    PageFailure("expected \(PlainText.quoted(key)) to be \(expected), found \(found.noun)")
  }
}

extension Sighting {
  /// What the page shows for a frame, as a JSON object.
  ///
  /// | member | content |
  /// |---|---|
  /// | `command` | what was given to the connection; null if nothing has changed |
  /// | `degrees` | the angle of the turret, 0 to 180; null in sentry mode |
  /// | `title`, `description` | the app's two lines |
  /// | `target` | the box that is aimed at, or null |
  /// | `others` | the other boxes, the largest first |
  ///
  /// A box has `box`: `[x, y, width, height]` in points of the view, origin at the upper left;
  /// `kind`, `label` (or null), `confidence` and, if the detector found any, `landmarks`: their
  /// names with lists of points `[x, y]` in the view.
  var pageValue: JSONValue {
    var text = JSONText()
    text.add("command", .text(command?.text))
    text.add("degrees", .whole(wanted.degrees))
    text.add("title", angles == nil ? "Sentry mode" : "Target found")
    text.add("description", angles == nil ? "No targets" : status)
    text.add("target", target?.pageValue ?? .null)
    text.add("others", .array(others.map { $0.pageValue }))
    return text.value
  }
}

extension Mark {
  fileprivate var pageValue: JSONValue {
    var value = JSONText()
    let sides = [box.x, box.y, box.width, box.height]
    value.add("box", .array(sides.map { .rounded($0) }))
    value.add("kind", observation.kind.rawValue)
    value.add("label", .text(observation.label))
    value.add("confidence", .rounded(observation.confidence))
    if !observation.landmarks.isEmpty {
      let outlines = landmarks.sorted { $0.key < $1.key }.map { name, points in
        JSONValue.Member(
          name, .array(points.map { .array([.rounded($0.x), .rounded($0.y)]) }))
      }
      value.add("landmarks", .object(outlines))
    }
    return value.value
  }
}
