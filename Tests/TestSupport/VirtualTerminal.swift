/// The few features of a terminal that a full-screen text requires: cells with a style, a cursor,
/// some modes.
package struct VirtualTerminal {
  package struct Cell: Hashable {
    package var scalar: Unicode.Scalar = " "
    /// The parameters of the escape sequence that selected the style; a blank has none.
    package var style = "0"
  }

  package private(set) var columns: Int
  package private(set) var cells: [[Cell]]
  /// The modes that are on, such as `?25` for the cursor.
  package private(set) var modes: Set<String> = ["?7", "?25"]
  /// Sequences that were not understood, and writes beyond the right edge.
  package private(set) var complaints: [String] = []
  /// The number of synchronised updates.
  package private(set) var updates = 0
  private var row = 0
  private var column = 0
  private var style = "0"
  private var unread: [UInt8] = []

  package init(columns: Int, rows: Int) {
    self.columns = columns
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The text of each line without trailing blanks.
  package var lines: [String] {
    cells.map { row in
      var line = String.UnicodeScalarView()
      line.append(contentsOf: row.map(\.scalar))
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }

  /// Takes bytes, which can be split anywhere.
  package mutating func feed(_ bytes: some Sequence<UInt8>) {
    unread += bytes
    var rest = unread[...]
    while let first = rest.first {
      if first == 0x1B {
        guard let end = rest.dropFirst(2).firstIndex(where: { $0 >= 0x40 }) else { break }
        guard rest[rest.startIndex + 1] == UInt8(ascii: "[") else {
          complaints.append("no control sequence")
          rest = rest.dropFirst()
          continue
        }
        let parameters = String(decoding: rest[(rest.startIndex + 2)..<end], as: UTF8.self)
        obey(rest[end], parameters)
        rest = rest[(end + 1)...]
      } else {
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard rest.count >= length else { break }
        let text = String(decoding: rest.prefix(length), as: UTF8.self)
        for scalar in text.unicodeScalars { put(scalar) }
        rest = rest.dropFirst(length)
      }
    }
    unread = Array(rest)
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    guard scalar.value >= 0x20 else { return complaints.append("control character") }
    guard row < cells.count, column < columns else {
      return complaints.append("beyond the edge: \(row), \(column)")
    }
    cells[row][column] = Cell(scalar: scalar, style: scalar == " " ? "0" : style)
    column += 1
  }

  private mutating func obey(_ command: UInt8, _ parameters: String) {
    switch Unicode.Scalar(command) {
    case "H":
      let numbers = parameters.split(separator: ";").map { Int($0) ?? 1 }
      row = (numbers.first ?? 1) - 1
      column = (numbers.dropFirst().first ?? 1) - 1
    case "J" where parameters == "2":
      for row in cells.indices { cells[row] = Array(repeating: Cell(), count: columns) }
    case "K" where parameters.isEmpty:
      // As in real terminals, the cursor stays on the last column after writing to it.
      for column in min(column, columns - 1)..<columns { cells[row][column] = Cell() }
    case "m": style = parameters
    case "h":
      modes.insert(parameters)
      if parameters == "?2026" { updates += 1 }
    case "l": modes.remove(parameters)
    default: complaints.append("CSI \(parameters)\(Unicode.Scalar(command))")
    }
  }
}
