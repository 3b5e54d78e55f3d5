/// Separates the commands in a client's bytes from everything else. The commands do not depend on
/// how the bytes are divided into messages.
///
///     idle ──X──▶ number ──'.'──▶ idle       a command, if 1 to 3 digits and at most 180
///                   │ digit: number
///                   │ any other byte: refused, and the byte is taken as in idle
///                   └ finish: refused
///
/// In the idle state, a letter of the firmware is a command, white space is skipped, and anything
/// else is refused. The rules are those of the guarded firmware, whichever firmware is connected.
/// So accepted commands have the same meaning for all.
///
/// Any other profile defines its own commands, which are recognized instead.
package struct CommandParser: Hashable, Sendable {
  private enum State: Hashable {
    case idle
    /// The value of the first three digits, and the number of digits.
    case number(value: UInt16, digits: Int)
  }

  /// The meaning of a byte, after the number that it aborted.
  private enum Meaning {
    case nothing
    case lineEnd
    case command(Command)
    case refused(Refusal)
    case junk(Refusal.Why)
  }

  /// How long after its `X` an unfinished number must be finished. The guarded firmware abandons it
  /// after the same time.
  package static let openTimeMax = Interval.milliseconds(250)

  private let firmware: Firmware
  /// The parser of a profile that is not one of the bench's own.
  private var own: OwnCommandParser?
  private var state = State.idle
  /// The bytes of the number, as far as a refusal reports them.
  private var begun: [UInt8] = []

  /// How many commands of more than one byte have begun. It wraps.
  package private(set) var beginnings: UInt32 = 0

  /// `profile`: the commands, if they are not those of the firmware.
  package init(for firmware: Firmware, profile: Profile? = nil) {
    self.firmware = firmware
    own = profile.map { OwnCommandParser(for: $0) }
  }

  /// Whether a number, or another command of more than one byte, has begun and not ended.
  package var isOpen: Bool { own?.isOpen ?? (state != .idle) }

  /// Takes one byte. Returns the number that it aborted, if any, and the meaning of the byte
  /// itself.
  package mutating func take(_ byte: UInt8) -> [Parsed] {
    var gatherer = RefusalGatherer()
    take(byte, into: &gatherer)
    return gatherer.finish()
  }

  /// Takes a message or a part of one. A run of junk is one refusal, and there are never more than
  /// `RefusalGatherer.refusalsMax`.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [Parsed] {
    var gatherer = RefusalGatherer()
    return take(bytes, into: &gatherer, isWhole: true)
  }

  /// Takes bytes whose refusals a gatherer collects. `isWhole`: a message ends with these bytes.
  @inlinable package mutating func take(
    _ bytes: some Sequence<UInt8>, into gatherer: inout RefusalGatherer, isWhole: Bool
  ) -> [Parsed] {
    for byte in bytes { take(byte, into: &gatherer) }
    if isWhole { endMessage(into: &gatherer) }
    return isWhole ? gatherer.finish() : gatherer.take()
  }

  /// Ends what has begun, because its sender has left or nothing more arrived in time. A command
  /// that a pause ends is complete; an unfinished number is abandoned.
  package mutating func finish() -> Parsed? {
    if own != nil { return own?.finish() }
    return isOpen ? .refused(abandon(.unfinished)) : nil
  }

  @usableFromInline mutating func endMessage(into gatherer: inout RefusalGatherer) {
    own?.endMessage(into: &gatherer)
  }

  @usableFromInline mutating func take(_ byte: UInt8, into gatherer: inout RefusalGatherer) {
    if own != nil {
      if own?.take(byte, into: &gatherer) == true { beginnings &+= 1 }
      return
    }
    var broken: Refusal?
    let meaning = meaning(of: byte, breaking: &broken)
    if let broken { gatherer.add(broken, isWhole: false) }
    switch meaning {
    case .nothing: break
    case .lineEnd: gatherer.endLine()
    case .command(let command): gatherer.add(command)
    case .refused(let refusal): gatherer.add(refusal, isWhole: true)
    case .junk(let why): gatherer.add(junk: byte, why)
    }
  }

  private mutating func meaning(of byte: UInt8, breaking broken: inout Refusal?) -> Meaning {
    guard case .number(let value, let digits) = state else { return meaningInIdle(of: byte) }
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      remember(byte)
      // With more than three digits the number is refused, whatever its value.
      let grown = digits < 3 ? value * 10 + UInt16(byte - UInt8(ascii: "0")) : value
      state = .number(value: grown, digits: digits + 1)
      return .nothing
    case UInt8(ascii: "."):
      if digits > 0, digits <= 3, value <= 180 {
        state = .idle
        return .command(.aim(UInt8(value)))
      }
      remember(byte)
      let why: Refusal.Why = digits == 0 ? .noDigits : digits > 3 ? .tooManyDigits : .outOfRange
      return .refused(abandon(why, ending: 1))
    default:
      broken = abandon(.brokenOff)
      return meaningInIdle(of: byte)
    }
  }

  private mutating func meaningInIdle(of byte: UInt8) -> Meaning {
    switch byte {
    case UInt8(ascii: "X"):
      begun.removeAll(keepingCapacity: true)
      remember(byte)
      beginnings &+= 1
      state = .number(value: 0, digits: 0)
      return .nothing
    case UInt8(ascii: " "), UInt8(ascii: "\t"): return .nothing
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return .lineEnd
    case 0x80...: return .junk(.notASCII)
    default:
      if let command = Command(letter: byte, in: firmware) { return .command(command) }
      let isElsewhere = Firmware.allCases.contains { Command(letter: byte, in: $0) != nil }
      return .junk(isElsewhere ? .otherFirmware : .unknown)
    }
  }

  private mutating func remember(_ byte: UInt8) {
    if begun.count < Refusal.bytesMax { begun.append(byte) }
  }

  /// `ending`: the number of bytes in addition to `X` and the digits.
  private mutating func abandon(_ why: Refusal.Why, ending: Int = 0) -> Refusal {
    guard case .number(_, let digits) = state else { preconditionFailure("no number is open") }
    state = .idle
    return Refusal(begun, count: 1 + digits + ending, why: why)
  }
}

/// Separates the commands of a profile from everything else in a client's bytes, as
/// `CommandParser` does for the bench's own sketches.
struct OwnCommandParser: Hashable, Sendable {
  private let profile: Profile
  private var recognizer: CommandRecognizer

  init(for profile: Profile) {
    self.profile = profile
    recognizer = CommandRecognizer(profile)
  }

  var isOpen: Bool { recognizer.isOpen }

  /// Takes a byte. Returns whether a command begins with it and continues.
  mutating func take(_ byte: UInt8, into gatherer: inout RefusalGatherer) -> Bool {
    if recognizer.breaksOff(byte), let refusal = abandon(.brokenOff) {
      gatherer.add(refusal, isWhole: false)
    }
    let wasOpen = recognizer.isOpen
    switch recognizer.take(byte) {
    case .open: return !wasOpen
    case .space:
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { gatherer.endLine() }
    case .command(let form):
      gatherer.add(.own(OwnCommand(recognizer.bytes, form: form, of: profile)))
    case .refused(let mistake):
      gatherer.add(refusal(Refusal.Why(mistake), mistake), isWhole: true)
    case .unknown:
      gatherer.add(junk: byte, byte < 0x80 ? .unknown : .notASCII, words(nil))
    }
    return false
  }

  /// Ends the open command, because a pause follows: it is complete, or abandoned.
  mutating func finish() -> Parsed? {
    switch recognizer.takePause() {
    case .command(let form)?: .command(.own(OwnCommand(recognizer.bytes, form: form, of: profile)))
    case .refused(let mistake)?: .refused(refusal(Refusal.Why(mistake), mistake))
    default: abandon(.unfinished).map { .refused($0) }
    }
  }

  /// Ends the open command at the end of a message, if a pause would complete it.
  mutating func endMessage(into gatherer: inout RefusalGatherer) {
    guard recognizer.pause != nil else { return }
    switch finish() {
    case .command(let command)?: gatherer.add(command)
    case .refused(let refusal)?: gatherer.add(refusal, isWhole: true)
    case nil: break
    }
  }

  private mutating func abandon(_ why: Refusal.Why) -> Refusal? {
    guard recognizer.isOpen else { return nil }
    let refusal = refusal(why, nil)
    recognizer.abandon()
    return refusal
  }

  private func refusal(_ why: Refusal.Why, _ mistake: CommandRecognizer.Mistake?) -> Refusal {
    Refusal(recognizer.bytes, count: recognizer.count, why: why, words: words(mistake))
  }

  private func words(_ mistake: CommandRecognizer.Mistake?) -> Refusal.Words {
    Refusal.Words(commands: profile.list, mistake: mistake)
  }
}

extension Refusal.Why {
  fileprivate init(_ mistake: CommandRecognizer.Mistake) {
    switch mistake {
    case .noDigits: self = .noDigits
    case .tooManyDigits: self = .tooManyDigits
    case .outOfRange: self = .outOfRange
    case .wrongChecksum: self = .wrongChecksum
    }
  }
}

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
