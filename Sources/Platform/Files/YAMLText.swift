import CYAML
package import Judging
import Traces

/// Reads YAML as far as scenario files need it: texts, lists and mappings, without aliases, anchors
/// and tags. Every scalar keeps the text that is written, whatever type YAML assigns to it.
package enum YAMLText {
  /// The maximum size of a file, in bytes.
  package static let lengthMax = 1 << 20
  /// How deep lists and mappings can be nested.
  package static let depthMax = 64
  /// The byte order mark, with which some editors begin a file.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the documents that contain anything, in order.
  package static func documents(in text: [UInt8]) throws(NotationError) -> [Notation] {
    guard text.count <= lengthMax else {
      throw NotationError(.init(), "expected a file of at most \(lengthMax >> 20) MiB")
    }
    // libyaml counts the mark as a column of the first line, which then seems to be indented.
    let events = YAMLEvents(text.starts(with: mark) ? Array(text.dropFirst(mark.count)) : text)
    var documents: [Notation] = []
    while true {
      let event = try events.next()
      switch event.kind {
      case .end: return documents
      case .documentStart:
        let document = try value(try events.next(), events, depth: 0)
        if case .text("", _) = document {} else { documents.append(document) }
      case .documentEnd, .text, .list, .listEnd, .mapping, .mappingEnd: break
      }
    }
  }

  private static func value(
    _ event: YAMLEvent, _ events: YAMLEvents, depth: Int
  ) throws(NotationError) -> Notation {
    switch event.kind {
    case .text(let text): return .text(text, event.place)
    case .list, .mapping:
      guard depth < depthMax else {
        throw NotationError(
          event.place, "expected at most \(depthMax) levels of lists and mappings")
      }
      if event.kind == .list { return try list(from: event, events, depth: depth + 1) }
      return try mapping(from: event, events, depth: depth + 1)
    case .documentStart, .documentEnd, .listEnd, .mappingEnd, .end:
      throw NotationError(event.place, "expected a value")
    }
  }

  private static func list(
    from start: YAMLEvent, _ events: YAMLEvents, depth: Int
  ) throws(NotationError) -> Notation {
    var items: [Notation] = []
    while true {
      let event = try events.next()
      if event.kind == .listEnd { return .list(items, start.place) }
      items.append(try value(event, events, depth: depth))
    }
  }

  private static func mapping(
    from start: YAMLEvent, _ events: YAMLEvents, depth: Int
  ) throws(NotationError) -> Notation {
    var members: [Notation.Member] = []
    var keys: Set<String> = []
    while true {
      let event = try events.next()
      if event.kind == .mappingEnd { return .mapping(members, start.place) }
      guard case .text(let key) = event.kind else {
        throw NotationError(event.place, "expected a word as the key, not a list or a mapping")
      }
      guard keys.insert(key).inserted else {
        throw NotationError(
          event.place, "expected each key once; \(PlainText.quoted(key)) is there twice")
      }
      members.append(
        .init(key, at: event.place, try value(try events.next(), events, depth: depth)))
    }
  }
}

/// The events of a YAML text, from libyaml's parser.
///
/// A class, because the parser must stay at one address.
final class YAMLEvents {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  init(_ text: [UInt8]) {
    parser = .allocate(capacity: 1)
    input = .allocate(capacity: max(1, text.count))
    _ = input.initialize(from: text)
    // Fails only for lack of memory, which ends a Swift program anyway.
    guard yaml_parser_initialize(parser) == 1 else { fatalError("no memory for a YAML parser") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// Returns the next event. It must not be called again after the end or an error.
  func next() throws(NotationError) -> YAMLEvent {
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
      defer { yaml_event_delete(&event) }
      if let next = try Self.event(event) { return next }
    }
  }

  /// Converts an event; nil if it is of no interest.
  private static func event(_ event: yaml_event_t) throws(NotationError) -> YAMLEvent? {
    let place = Notation.Place(event.start_mark)
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, place: place)
    case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, place: place)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      try refuse(anchor: scalar.anchor, tag: scalar.tag, at: place)
      let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return YAMLEvent(kind: .text(String(decoding: text, as: UTF8.self)), place: place)
    case YAML_SEQUENCE_START_EVENT:
      let list = event.data.sequence_start
      try refuse(anchor: list.anchor, tag: list.tag, at: place)
      return YAMLEvent(kind: .list, place: place)
    case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .listEnd, place: place)
    case YAML_MAPPING_START_EVENT:
      let mapping = event.data.mapping_start
      try refuse(anchor: mapping.anchor, tag: mapping.tag, at: place)
      return YAMLEvent(kind: .mapping, place: place)
    case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, place: place)
    case YAML_ALIAS_EVENT:
      throw NotationError(place, "aliases are not supported; put a text with '*' in quotes")
    case YAML_STREAM_END_EVENT: return YAMLEvent(kind: .end, place: place)
    default: return nil
    }
  }

  private static func refuse(
    anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?,
    at place: Notation.Place
  ) throws(NotationError) {
    if anchor != nil {
      throw NotationError(place, "anchors are not supported; put a text with '&' in quotes")
    }
    if tag != nil {
      throw NotationError(place, "tags are not supported; put a text with '!' in quotes")
    }
  }

  private func error() -> NotationError {
    let parser = parser.pointee
    let problem = parser.problem.map { String(cString: $0) } ?? "no memory"
    if parser.error == YAML_READER_ERROR {
      return NotationError(place(ofByte: parser.problem_offset), YAMLProblem.sentence(problem))
    }
    // A text without an end is reported at its beginning.
    let begins = parser.context != nil && YAMLProblem.isAboutTheBeginning(problem)
    let mark = begins ? parser.context_mark : parser.problem_mark
    let sentence =
      problem == YAMLProblem.noText && beginsWithTab(line: Int(mark.line))
      ? YAMLProblem.tab : YAMLProblem.sentence(problem)
    return NotationError(.init(mark), sentence)
  }

  /// Whether the first character of a line that is not a space is a tab. Lines count from 0.
  private func beginsWithTab(line: Int) -> Bool {
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    return line < lines.count && lines[line].first { $0 != 0x20 } == 0x09
  }

  /// Returns the place of a byte that is not valid in a text.
  private func place(ofByte offset: Int) -> Notation.Place {
    let before = input.prefix(max(0, min(offset, input.count)))
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
    // A byte that continues a character does not count as another.
    let column = before[start...].count { $0 & 0xC0 != 0x80 }
    return Notation.Place(line: before.count { $0 == 0x0A } + 1, column: column + 1)
  }
}

extension Notation.Place {
  /// libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}

/// A step of libyaml's parser through a file.
struct YAMLEvent {
  enum Kind: Hashable {
    case documentStart, documentEnd
    /// A scalar as it is written, without its quotes.
    case text(String)
    case list, listEnd
    case mapping, mappingEnd
    /// The end of the file.
    case end
  }

  var kind: Kind
  /// Where it begins.
  var place: Notation.Place
}

/// libyaml's problems in plain English.
enum YAMLProblem {
  /// libyaml's message about a character that cannot begin anything, such as a tab that indents.
  static let noText = "found character that cannot start any token"
  static let tab = "a tab cannot indent a line; use spaces"

  /// Our sentence for each of libyaml's messages.
  private static let sentences = [
    "could not find expected ':'": "expected ':' after the key",
    "mapping values are not allowed in this context":
      "':' is not allowed here; a text that contains \": \" requires quotes",
    "mapping keys are not allowed in this context": "a key is not allowed here",
    "block sequence entries are not allowed in this context":
      "'-' is not allowed here; a list begins on a line of its own",
    noText: "no text can begin with this character; put the text in quotes",
    "found a tab character that violates indentation": tab,
    "found a tab character where an indentation space is expected": tab,
    "did not find expected ',' or ']'": "expected ',' or ']'",
    "did not find expected ',' or '}'": "expected ',' or '}'",
    "did not find expected key": "expected a key, indented like those before it",
    "did not find expected '-' indicator": "expected '-', indented like those before it",
    "did not find expected node content": "expected a value",
    "did not find expected <document start>": "expected '---' before another document",
    "found unexpected end of stream": "the quoted text has no end",
    "found unexpected document indicator": "the quoted text has no end",
    "found unknown escape character":
      "there is no such escape after '\\'; in single quotes it is text",
    "did not find expected hexdecimal number": "expected hexadecimal digits in this escape",
    "found invalid Unicode character escape code": "there is no character with this code",
    "control characters are not allowed":
      "control characters are not allowed; write an escape in double quotes, such as \"\\x07\"",
    "found incompatible YAML document": "expected YAML 1.1 or 1.2",
    "found undefined tag handle": "tags are not supported; put a text with '!' in quotes",
  ]

  static func sentence(_ problem: String) -> String {
    if let sentence = sentences[problem] { return sentence }
    if problem.contains("UTF-8") || problem == "invalid Unicode character" {
      return "expected UTF-8"
    }
    return "this is not YAML: \(problem)"
  }

  /// Whether the place to report is where the text, list or mapping begins.
  static func isAboutTheBeginning(_ problem: String) -> Bool {
    switch problem {
    case "could not find expected ':'", "found unexpected end of stream",
      "found unexpected document indicator":
      true
    default: false
    }
  }
}
