/// The fields of a line of comma-separated values.
struct CSVFields {
  private var line = UnsafeRawBufferPointer(start: nil, count: 0)
  private var ranges: [Range<Int>] = []

  var count: Int { ranges.count }

  /// A field without the quotes around it, valid as long as the line; empty if the line has no such
  /// field. A doubled quote in a quoted field stays doubled.
  subscript(_ index: Int) -> UnsafeRawBufferPointer {
    guard ranges.indices.contains(index) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: line[ranges[index]])
  }

  mutating func parse(_ line: UnsafeRawBufferPointer) {
    self.line = line
    ranges.removeAll(keepingCapacity: true)
    var cursor = LineCursor(line)
    repeat {
      if cursor.take(0x22) {
        let start = cursor.position
        var end = start
        while let byte = cursor.peek() {
          cursor.position += 1
          if byte == 0x22, !cursor.take(0x22) { break }
          end = cursor.position
        }
        ranges.append(start..<end)
        _ = cursor.takeText(upTo: 0x2c)
      } else {
        let start = cursor.position
        _ = cursor.takeText(upTo: 0x2c)
        ranges.append(start..<cursor.position)
      }
    } while cursor.take(0x2c)
  }
}
