import Traces
package import Verification

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

  /// Returns the value that begins with an event.
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
