import Traces
package import Turret

/// Bytes of a session whose sketch has no model, and the outputs that followed the last of them.
package struct ObservedEffect: Hashable, Sendable {
  package private(set) var bytes: [UInt8] = []
  /// When the first byte arrived.
  package private(set) var time: Instant
  /// What followed, in words; empty if nothing did.
  package private(set) var text = ""
  /// How long after the arrival of the last byte the first output followed; nil if none did.
  package private(set) var delay: Interval?
  /// Which of the bytes were lost, in words; nil if none were.
  package private(set) var trouble: String?

  /// Divides a session's bytes after each byte that was followed by outputs.
  package static func find(in session: ObservedSession) -> [ObservedEffect] {
    var found: [ObservedEffect] = []
    var lost: [UInt8] = []
    var isOpen = false
    for byte in session.bytes {
      if !isOpen { found.append(ObservedEffect(time: byte.entry.arrived)) }
      isOpen = true
      let last = found.count - 1
      found[last].bytes.append(byte.entry.byte)
      if byte.begin == nil { lost.append(byte.entry.byte) }
      if !lost.isEmpty { found[last].trouble = "\(ByteText.quoted(lost)) did not reach the sketch" }
      guard let first = byte.outputs.first else { continue }
      found[last].text = ObservedExplanation.text(byte.outputs, since: nil)
      found[last].delay = first.time - byte.entry.arrived
      lost = []
      isOpen = false
    }
    return found
  }

  private init(time: Instant) { self.time = time }
}
