/// Combines the refusals from one message, so that a message full of junk is not answered with a
/// refusal for every byte.
///
/// A TCP connection has no messages. There a run of junk can continue over any number of reads,
/// until a line end or a command, or until its owner finishes it.
package struct RefusalGatherer: Hashable, Sendable {
  /// The maximum number of refusals from one message. Further ones are added to the last one, which
  /// is then moved to the end.
  package static let refusalsMax = 16

  /// Whether a line end ends a run of junk.
  private let endsAtLines: Bool
  private var found: [Parsed] = []
  /// The refusal that can still grow.
  private var open: Refusal?
  private var refusals = 0
  /// Whether the last bytes were refused. Then junk after them is not another command.
  private var isInRun = false

  package init(endsAtLines: Bool = false) { self.endsAtLines = endsAtLines }

  /// Whether a run of junk is in progress.
  package var isOpen: Bool { open != nil }

  mutating func add(_ command: Command) {
    if refusals < Self.refusalsMax { close() }
    isInRun = false
    found.append(.command(command))
  }

  /// Adds a refused number. `isWhole`: its full stop has arrived, so it is not the beginning of a
  /// run.
  mutating func add(_ refusal: Refusal, isWhole: Bool) {
    merge(refusal)
    isInRun = !isWhole
  }

  /// `words`: the parts of a refusal's message for a profile that is not one of the bench's own.
  mutating func add(
    junk byte: UInt8, _ why: Refusal.Why, _ words: @autoclosure () -> Refusal.Words? = nil
  ) {
    if !isInRun || open?.absorb(byte, why) != true {
      merge(Refusal([byte], why: why, commands: isInRun ? 0 : 1, words: words()))
    }
    isInRun = true
  }

  mutating func endLine() {
    guard endsAtLines else { return }
    if refusals < Self.refusalsMax { close() }
    isInRun = false
  }

  /// Removes and returns the refusals that are complete. A run of junk that may continue stays.
  package mutating func take() -> [Parsed] {
    if refusals == Self.refusalsMax || open?.canGrow == false { close() }
    refusals = open == nil ? 0 : 1
    defer { found = [] }
    return found
  }

  /// Removes and returns all refusals; no run continues.
  package mutating func finish() -> [Parsed] {
    close()
    isInRun = false
    return take()
  }

  private mutating func merge(_ refusal: Refusal) {
    if refusals == Self.refusalsMax {
      open?.absorb(refusal)
    } else {
      close()
      open = refusal
      refusals += 1
    }
  }

  private mutating func close() {
    if let open { found.append(.refused(open)) }
    open = nil
  }
}

/// The result of parsing a client's bytes.
package enum Parsed: Hashable, Sendable {
  case command(Command)
  case refused(Refusal)
}
