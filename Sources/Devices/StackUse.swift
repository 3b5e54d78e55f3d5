package import Sketches
import Traces

/// How deep the stack of a program was, in a run that was recorded.
package struct StackUse: Hashable, Sendable {
  /// A function, or an interrupt, that had not returned.
  package struct Frame: Hashable, Sendable {
    package var function: String
    /// Where it was, `turret.ino:88`; empty if that is not known.
    package var line: String
    /// What it had on the stack, in bytes, with the return address to what called it.
    package var bytes: Int

    package init(function: String, line: String, bytes: Int) {
      (self.function, self.line, self.bytes) = (function, line, bytes)
    }

    /// `sweep (turret.ino:88) 6`
    var text: String { (line.isEmpty ? function : "\(function) (\(line))") + " \(bytes)" }
  }

  /// What is below the stack.
  package enum Neighbour: String, Hashable, Sendable {
    /// What `malloc` has given out, also to Arduino's `String`.
    case heap
    /// The static variables.
    case variables
  }

  /// The fewest bytes that were free below the stack.
  package struct Room: Hashable, Sendable {
    /// Less than 0 if the stack was in what is below it.
    package var bytes: Int
    package var neighbour: Neighbour
    package var time: Instant

    package init(bytes: Int, above neighbour: Neighbour, at time: Instant) {
      (self.bytes, self.neighbour, self.time) = (bytes, neighbour, time)
    }

    /// A sentence without its full stop.
    package var text: String { text("at least") }
    /// The same where that is too little.
    package var complaint: String { text("only") }

    private func text(_ word: String) -> String {
      bytes < 0
        ? "the stack reached \(-bytes) bytes into the \(neighbour.rawValue) "
          + "at \(StackUse.text(time))"
        : "\(word) \(bytes) bytes were free between the stack and the \(neighbour.rawValue) "
          + "(at \(StackUse.text(time)))"
    }
  }

  /// The most that it had, in bytes.
  package var bytes: Int
  /// When.
  package var time: Instant
  /// What stood on it then, the outermost first. Together they have `bytes`.
  package var frames: [Frame]
  /// Nil if the program's file does not say where its variables end.
  package var room: Room?

  package init(bytes: Int, at time: Instant, _ frames: [Frame], room: Room?) {
    (self.bytes, self.time, self.frames, self.room) = (bytes, time, frames, room)
  }

  fileprivate static func text(_ time: Instant) -> String {
    "\(String(shortest: time.roundedUpToMicrosecond - .zero)) s"
  }

  /// The most frames that a sentence lists.
  private static let framesMax = 12

  /// `main (main.cpp:46) 2, sweep (turret.ino:88) 6`
  package var chain: String {
    guard frames.count > Self.framesMax else {
      return frames.map { $0.text }.joined(separator: ", ")
    }
    let ends = (frames.prefix(Self.framesMax / 2), frames.suffix(Self.framesMax / 2))
    let rest = frames.dropFirst(ends.0.count).dropLast(ends.1.count)
    let text = "\(rest.count) more \(rest.reduce(0) { $0 + $1.bytes })"
    return (ends.0.map { $0.text } + [text] + ends.1.map { $0.text }).joined(separator: ", ")
  }

  /// A sentence without its full stop.
  package var text: String { depth + (room.map { "; \($0.text)" } ?? "") }

  package var depth: String {
    "the stack was at most \(bytes) bytes deep (at \(StackUse.text(time))): \(chain)"
  }

  /// A JSON object.
  package var json: String {
    let time = String(shortest: time.roundedUpToMicrosecond - .zero)
    var text = Array("{\"bytes\": \(bytes), \"at\": \(time)".utf8)
    if let room {
      text += Array(
        ", \"free\": \(room.bytes), \"above\": \"\(room.neighbour.rawValue)\"".utf8)
    } else {
      text += Array(", \"free\": null, \"above\": null".utf8)
    }
    text += Array(", \"frames\": [".utf8)
    for (number, frame) in frames.enumerated() {
      text += Array((number == 0 ? "[" : ", [").utf8)
      text.appendQuoted(frame.function)
      text += Array(", ".utf8)
      text.appendQuoted(frame.line)
      text += Array(", \(frame.bytes)]".utf8)
    }
    return String(decoding: text + Array("]}".utf8), as: UTF8.self)
  }
}
