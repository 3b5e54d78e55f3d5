import Verification

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
