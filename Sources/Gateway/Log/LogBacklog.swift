/// Lines of the log that wait for whoever reads it, up to a limit. Lines over it are dropped, counted, and
/// told of where they are missing.
package struct LogBacklog: Sendable {
  package static let bytesMax = 65_536

  private var waiting: [UInt8] = []
  private var droppedSinceTold = 0
  /// Of what waits: lines that tell what is missing, and how many they say.
  private var notes = (lines: 0, missing: 0)
  /// Lines that were dropped so far.
  package private(set) var dropped = 0
  private let note: @Sendable (Int) -> [UInt8]

  /// `note` makes the line that tells how many are missing.
  package init(note: @escaping @Sendable (Int) -> [UInt8]) { self.note = note }

  package var isEmpty: Bool { waiting.isEmpty && droppedSinceTold == 0 }

  /// What is to be written next.
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

  /// So many bytes of `next` have been written.
  package mutating func wrote(_ count: Int) {
    waiting.removeFirst(count)
    if waiting.isEmpty { notes = (0, 0) }
    tellIfThereIsRoom()
  }

  /// What waits cannot be written and is dropped.
  package mutating func giveUp() {
    let lines = max(0, waiting.count { $0 == UInt8(ascii: "\n") } - notes.lines)
    dropped += lines
    droppedSinceTold += lines + notes.missing
    notes = (0, 0)
    waiting = []
  }

  /// Puts in what tells of dropped lines, once half of the room is free, so that the news of it is not
  /// itself all that is read.
  package mutating func tellIfThereIsRoom() {
    guard droppedSinceTold > 0, waiting.count <= Self.bytesMax / 2 else { return }
    waiting += note(droppedSinceTold)
    notes = (notes.lines + 1, notes.missing + droppedSinceTold)
    droppedSinceTold = 0
  }
}
