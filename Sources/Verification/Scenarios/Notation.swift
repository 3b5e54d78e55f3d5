/// A piece of a scenario file or of a rule in JSON, with its place: a text, a list or a mapping.
package indirect enum Notation: Hashable, Sendable {
  /// A text, number or word, kept as it is written.
  case text(String, Place)
  case list([Notation], Place)
  case mapping([Member], Place)

  package struct Member: Hashable, Sendable {
    package var key: String
    package var keyPlace: Place
    package var value: Notation

    package init(_ key: String, at keyPlace: Place = Place(), _ value: Notation) {
      self.key = key
      self.keyPlace = keyPlace
      self.value = value
    }
  }

  /// A line and a column in characters, both counted from 1; 0 if there is none.
  package struct Place: Hashable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int = 0, column: Int = 0) {
      self.line = line
      self.column = column
    }
  }

  package var place: Place {
    switch self {
    case .text(_, let place), .list(_, let place), .mapping(_, let place): place
    }
  }
}
