import Turret

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
