/// Lines of the log that wait until they are read, up to a limit. Further lines are dropped and
/// counted, and their number is reported at the place where they are missing.
package struct LogBacklog: Sendable {
  package static let bytesMax = 65_536

  private var waiting: [UInt8] = []
  private var droppedSinceTold = 0
  /// In the waiting text: the number of lines that report missing lines, and the number of lines
  /// they report.
  private var notes = (lines: 0, missing: 0)
  /// The number of lines dropped so far.
  package private(set) var dropped = 0
  private let note: @Sendable (Int) -> [UInt8]

  /// `note` makes the line that reports the number of missing lines.
  package init(note: @escaping @Sendable (Int) -> [UInt8]) { self.note = note }

  package var isEmpty: Bool { waiting.isEmpty && droppedSinceTold == 0 }

  /// The bytes to write next.
  package var next: ArraySlice<UInt8> { waiting[...] }

  package mutating func put(_ line: [UInt8]) {
    tellIfThereIsRoom()
    guard droppedSinceTold == 0, waiting.count + line.count <= Self.bytesMax else {
      droppedSinceTold += 1
      dropped += 1
      return
    }
    waiting += line
  }

  /// Records that `count` bytes of `next` have been written.
  package mutating func wrote(_ count: Int) {
    waiting.removeFirst(count)
    if waiting.isEmpty { notes = (0, 0) }
    tellIfThereIsRoom()
  }

  /// Drops everything that waits, because it cannot be written.
  package mutating func giveUp() {
    let lines = max(0, waiting.count { $0 == UInt8(ascii: "\n") } - notes.lines)
    dropped += lines
    droppedSinceTold += lines + notes.missing
    notes = (0, 0)
    waiting = []
  }

  /// Adds the line that reports dropped lines, but only when half the room is free, so that such
  /// lines are not the only ones read.
  package mutating func tellIfThereIsRoom() {
    guard droppedSinceTold > 0, waiting.count <= Self.bytesMax / 2 else { return }
    waiting += note(droppedSinceTold)
    notes = (notes.lines + 1, notes.missing + droppedSinceTold)
    droppedSinceTold = 0
  }
}
