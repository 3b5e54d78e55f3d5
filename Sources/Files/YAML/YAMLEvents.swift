import CYAML
import Verification

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
