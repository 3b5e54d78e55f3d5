package import Turret

/// What a client of a port does to the line, in order.
package enum LineItem: Hashable, Sendable {
  case bytes([UInt8])
  /// The speed of the bytes after it, in bits a second.
  case speed(Int)
  /// The format of the bytes after it.
  case format(LineFormat)
  /// The line becomes low, and stays low until the break ends.
  case breakBegan
  case breakEnded
}
