package import Devices
import Turret

/// Puts a board's bytes together to lines, so that a client gets an answer as one message.
package struct ReplyLines: Hashable, Sendable {
  /// A longer line comes in pieces.
  private static let bytesMax = 256
  /// What is no line yet is given out when nothing has followed for so long.
  private static let patience = Interval.milliseconds(50)

  private var begun: [UInt8] = []
  /// When what has begun is given out as it is; nil: nothing has.
  package private(set) var deadline: HostTime?

  package init() {}

  /// Takes bytes; returns the lines that they end, line feeds and all.
  package mutating func take(_ bytes: [UInt8], at time: HostTime) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      begun.append(byte)
      if byte == UInt8(ascii: "\n") || begun.count == Self.bytesMax {
        lines.append(begun)
        begun = []
      }
    }
    deadline = begun.isEmpty ? nil : time + Self.patience
    return lines
  }

  /// What has waited for its end for too long.
  package mutating func takeOverdue(at time: HostTime) -> [UInt8]? {
    guard let deadline, deadline <= time else { return nil }
    defer { begun = [] }
    self.deadline = nil
    return begun
  }
}
