import Turret

/// The kinds of output that a trace names, found without parsing its events, which would take ten
/// times as long.
struct KindSearch {
  private(set) var found: Set<Output.Kind> = []
  /// The kind found last: most lines name the same one as the line before.
  private var latest: Output.Kind?

  /// Searches a text from its start, which may have a header.
  init(_ text: ByteSource, path: String) throws(TraceError) {
    var source = LineSource(text)
    var number = 1
    while let line = try source.next(number: number, path: path) {
      take(line)
      number += 1
    }
  }

  private mutating func take(_ line: UnsafeRawBufferPointer) {
    // The first string of an event is its kind.
    let quote = UInt8(ascii: "\"")
    guard let start = line.offset(of: quote, from: 0),
      let end = line.offset(of: quote, from: start + 1)
    else { return }
    let name = UnsafeRawBufferPointer(rebasing: line[start...end])
    if let latest, name.isEqual(to: latest.quotedName) { return }
    if let kind = Output.Kind.allCases.first(where: { name.isEqual(to: $0.quotedName) }) {
      found.insert(kind)
      latest = kind
    } else if name.contains(UInt8(ascii: "\\")) {
      // A name can be written with escapes.
      var scanner = LineScanner(UnsafeRawBufferPointer(rebasing: line[start...]))
      if let name = try? scanner.takeText(""), let kind = Output.Kind(name: name) {
        found.insert(kind)
      }
    }
  }
}
