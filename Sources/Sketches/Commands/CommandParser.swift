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

package enum Parsed: Hashable, Sendable {
  case command(Command)
  case refused(Refusal)
}

/// The commands that wait for the cable. The cable carries about 200 a second, and a camera can
/// send more. So the newest aim wins, and delays do not accumulate.
///
/// At most one aim waits. A newer one replaces it, but is put at the end, because the commands in
/// between were sent first (`X10.`, `L`, `X20.` must leave the turret at 20). Consecutive `L`s are
/// merged into one.
///
/// With a profile that is not one of the bench's own, the same holds for each form whose commands a
/// newer one can replace. Every other command waits separately, and is removed when it is late.
package struct CommandQueue: Sendable {
  package enum Outcome: Hashable, Sendable {
    case queued
    /// It replaced an older aim, or an older command of its form.
    case replaced
    /// It was merged with the `L` before it.
    case merged
    /// It was not accepted, because `countMax` others are waiting.
    case overflow
  }

  /// What happened to the commands. Every command that was put was sent, replaced, merged, refused
  /// because of an overflow, or removed, or is waiting.
  package struct Counts: Hashable, Sendable {
    /// The commands that `put` added, whatever happened to them later.
    package var queued = 0
    /// The aims that a newer one replaced.
    package var replaced = 0
    /// The `L`s that were merged into the one before.
    package var merged = 0
    /// The commands that were not accepted.
    package var overflowed = 0
    package var sent = 0
    /// The commands that were removed without being sent.
    package var removed = 0
  }

  /// How many commands can wait in addition to the aim.
  package static let countMax = 16

  package struct Entry: Hashable, Sendable {
    package var command: Command
    /// The client that sent it; nil for the bench itself.
    package var from: ClientID?
    /// When it arrived; nil if that is unknown.
    package var arrival: Instant?

    /// The form of a profile's command.
    fileprivate var form: Int? {
      if case .own(let own) = command { own.form } else { nil }
    }

    fileprivate var isReplaceable: Bool {
      if case .own(let own) = command { own.isReplaceable } else { false }
    }

    /// Whether it must not be late.
    fileprivate var isUrgent: Bool { lateDeadline != nil }

    fileprivate var lateDeadline: Instant? {
      guard case .own(let own) = command, !own.isReplaceable else { return nil }
      return arrival.map { $0 + Profile.lateMax }
    }
  }

  private var waiting: [Entry] = []
  private var aim: Int?
  /// How many others are waiting that a newer one can replace.
  private var replaceableCount = 0
  /// How many are waiting that must not be late.
  private var urgentCount = 0
  /// The last command that a newer one replaced.
  package private(set) var lastReplaced: Command?
  package private(set) var counts = Counts()

  package init() {}

  package var count: Int { waiting.count }
  package var isEmpty: Bool { waiting.isEmpty }

  /// `isLast`: no command follows, so it is accepted however many are waiting.
  package mutating func put(
    _ command: Command, from client: ClientID?, at arrival: Instant? = nil, isLast: Bool = false
  ) -> Outcome {
    let entry = Entry(command: command, from: client, arrival: arrival)
    if case .aim = command { return putAim(entry) }
    if case .own(let own) = command, own.isReplaceable { return putNewest(entry, form: own.form) }
    if command == .lost, waiting.last?.command == .lost {
      counts.merged += 1
      return .merged
    }
    guard isLast || hasRoom(for: command) else {
      counts.overflowed += 1
      return .overflow
    }
    if entry.isUrgent { urgentCount += 1 }
    append(entry)
    return .queued
  }

  /// Whether it would be accepted.
  package func hasRoom(for command: Command) -> Bool {
    if case .aim = command { return true }
    if case .own(let own) = command, own.isReplaceable { return true }
    if command == .lost, waiting.last?.command == .lost { return true }
    return waiting.count - (aim == nil ? 0 : 1) - replaceableCount < Self.countMax
  }

  package mutating func next() -> Entry? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    aim = aim.flatMap { $0 == 0 ? nil : $0 - 1 }
    if first.isReplaceable { replaceableCount -= 1 }
    if first.isUrgent { urgentCount -= 1 }
    counts.sent += 1
    return first
  }

  package mutating func removeAll() -> [Entry] {
    let removed = waiting
    waiting.removeAll(keepingCapacity: true)
    (aim, replaceableCount, urgentCount) = (nil, 0, 0)
    counts.removed += removed.count
    return removed
  }

  /// When the first command with a time limit becomes late; nil if none waits.
  package var lateDeadline: Instant? {
    guard urgentCount > 0 else { return nil }
    return waiting.lazy.compactMap { $0.lateDeadline }.min()
  }

  /// Removes and returns the commands that are late, in order.
  package mutating func removeLate(at now: Instant) -> [Entry] {
    guard let deadline = lateDeadline, deadline < now else { return [] }
    return remove { entry in entry.lateDeadline.map { $0 < now } ?? false }
  }

  /// Removes and returns the waiting commands of one client, in order. Commands that they separated
  /// may be merged.
  package mutating func removeAll(from client: ClientID) -> [Entry] {
    remove { $0.from == client }
  }

  private mutating func remove(where isMeant: (Entry) -> Bool) -> [Entry] {
    let removed = waiting.filter(isMeant)
    guard !removed.isEmpty else { return [] }
    counts.removed += removed.count
    let kept = waiting.filter { !isMeant($0) }
    waiting.removeAll(keepingCapacity: true)
    for entry in kept {
      if entry.command == .lost, waiting.last?.command == .lost {
        counts.merged += 1
      } else {
        waiting.append(entry)
      }
    }
    aim = waiting.firstIndex { if case .aim = $0.command { true } else { false } }
    replaceableCount = waiting.count { $0.isReplaceable }
    urgentCount = waiting.count { $0.isUrgent }
    return removed
  }

  private mutating func putAim(_ entry: Entry) -> Outcome {
    let old = aim
    if let old {
      lastReplaced = waiting.remove(at: old).command
      counts.replaced += 1
      // Commands that they separated can now be adjacent.
      if old > 0, old < waiting.count, waiting[old - 1].command == .lost,
        waiting[old].command == .lost
      {
        waiting.remove(at: old)
        counts.merged += 1
      }
    }
    aim = waiting.count
    append(entry)
    return old == nil ? .queued : .replaced
  }

  /// Puts a command of a profile at the end, and removes the older one of its form.
  private mutating func putNewest(_ entry: Entry, form: Int) -> Outcome {
    let old = waiting.firstIndex { $0.isReplaceable && $0.form == form }
    if let old {
      lastReplaced = waiting.remove(at: old).command
      if let position = aim, position > old { aim = position - 1 }
      counts.replaced += 1
    } else {
      replaceableCount += 1
    }
    append(entry)
    return old == nil ? .queued : .replaced
  }

  private mutating func append(_ entry: Entry) {
    waiting.append(entry)
    counts.queued += 1
  }
}

/// A number that identifies a client of a session. The first client to connect has number 1.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
  package var description: String { "\(number)" }
}
