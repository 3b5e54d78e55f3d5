/// Lines of the log that wait for whoever reads it, up to a limit. Lines over it are dropped, counted, and
/// told of where they are missing.
package struct LogBacklog: Sendable {
  package static let bytesMax = 65_536

  private var waiting: [UInt8] = []
  private var droppedSinceTold = 0
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
    tellIfThereIsRoom()
  }

  /// There is nobody who could read: what waits is dropped.
  package mutating func giveUp() {
    let lines = waiting.count { $0 == UInt8(ascii: "\n") }
    dropped += lines
    droppedSinceTold += lines
    waiting = []
  }

  /// Once half of the room is free, so that the news of it is not itself all that is read.
  private mutating func tellIfThereIsRoom() {
    guard droppedSinceTold > 0, waiting.count <= Self.bytesMax / 2 else { return }
    waiting += note(droppedSinceTold)
    droppedSinceTold = 0
  }
}
