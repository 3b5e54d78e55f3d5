/// Finds a profile's commands in a stream of bytes, a byte at a time.
///
///     idle ──begins a command──▶ open ──its last byte──▶ idle     found, or refused
///                                 │ leads on: open
///                                 │ a pause that ends it ──▶ idle     found, or refused
///                                 │ any other byte: broken off, and taken as in idle
///                                 └ finish: broken off
///
/// Several forms can begin with the same bytes, so each has a track. At most one of them can end at
/// a byte, because a profile has no command that ends where another continues.
package struct CommandRecognizer: Hashable, Sendable {
  /// Why a command is refused although it has its form.
  package enum Mistake: Hashable, Sendable {
    case noDigits(CommandField)
    case tooManyDigits(CommandField)
    case outOfRange(CommandField)
    /// The value that the checksum must have.
    case wrongChecksum(UInt8)
  }

  /// What a byte was.
  package enum Meaning: Hashable, Sendable {
    /// Part of a command that is not complete yet.
    case open
    case space
    /// The last byte of a command of this form, counted from 0.
    case command(Int)
    /// The last byte of a command whose numbers are wrong.
    case refused(Mistake)
    /// A byte that does not begin a command.
    case unknown
  }

  /// A form that the bytes so far could be.
  private struct Track: Hashable {
    var form: Int
    var part = 0
    /// The number of digits, or of bytes, of the number or checksum so far.
    var digits = 0
    /// How many of the digits are decimals; nil before the point.
    var fraction: Int?
    var value: Int64 = 0
    var isNegative = false
    private(set) var mistake: Mistake?

    init(form: Int) { self.form = form }

    mutating func note(_ mistake: Mistake) {
      if self.mistake == nil { self.mistake = mistake }
    }

    mutating func endNumber(_ field: CommandField) {
      if digits == 0 { note(.noDigits(field)) }
      var number = isNegative ? -value : value
      for _ in (fraction ?? 0)..<max(field.decimals, fraction ?? 0) { number *= 10 }
      end(field, number)
    }

    mutating func end(_ field: CommandField, _ number: Int64) {
      if number < Int64(field.range.lowerBound) || number > Int64(field.range.upperBound) {
        note(.outOfRange(field))
      }
      endPart()
    }

    mutating func endPart() {
      (digits, fraction, value, isNegative) = (0, nil, 0, false)
      part += 1
    }
  }

  /// The maximum number of bytes of a command that are kept: a number can have any number of
  /// digits.
  package static let bytesMax = 256

  private let forms: [CommandForm]
  private var tracks: [Track] = []
  /// The bytes of the command that is open or that ended with the last byte.
  package private(set) var bytes: [UInt8] = []
  /// The number of its bytes, including those that are not kept.
  package private(set) var count = 0

  package init(_ profile: Profile) { forms = profile.commands }

  package var isOpen: Bool { !tracks.isEmpty }

  /// Whether this byte ends the open command without being a part of it.
  package func breaksOff(_ byte: UInt8) -> Bool {
    isOpen
      && !tracks.contains { track in
        var track = track
        return Self.advance(&track, by: byte, in: forms[track.form], after: bytes) != .dead
      }
  }

  /// Takes a byte. If it breaks off an open command, that command is discarded: call `breaksOff`
  /// first.
  package mutating func take(_ byte: UInt8) -> Meaning {
    if isOpen {
      if let meaning = lead(by: byte) { return meaning }
      tracks.removeAll(keepingCapacity: true)
    }
    bytes.removeAll(keepingCapacity: true)
    count = 0
    for form in forms.indices { tracks.append(Track(form: form)) }
    if let meaning = lead(by: byte) { return meaning }
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      return .space
    default: return .unknown
    }
  }

  /// How long nothing must follow the last byte for the open command to be complete; nil if no
  /// pause completes it.
  package var pause: Interval? { ending?.pause }

  /// Takes a pause of the length of `pause`. Returns nil if no pause completes the open command.
  package mutating func takePause() -> Meaning? {
    guard let ended = ending?.track else { return nil }
    tracks.removeAll(keepingCapacity: true)
    return ended.mistake.map { .refused($0) } ?? .command(ended.form)
  }

  /// The form that a pause ends: one without a mistake, or the one with the shortest pause; nil if
  /// there is none.
  private var ending: (track: Track, pause: Interval)? {
    var found: (track: Track, pause: Interval)?
    for track in tracks {
      guard let ended = Self.atPause(track, in: forms[track.form]) else { continue }
      let isBetter =
        switch (found?.track.mistake == nil, ended.track.mistake == nil) {
        case (true, false): found == nil
        case (false, true): true
        default: found.map { ended.pause < $0.pause } ?? true
        }
      if isBetter { found = ended }
    }
    return found
  }

  /// Returns a track at the pause that ends its form; nil if it needs other bytes first.
  private static func atPause(_ track: Track, in form: CommandForm) -> (
    track: Track, pause: Interval
  )? {
    guard let pause = form.pause else { return nil }
    var track = track
    while true {
      switch form.parts[track.part] {
      case .number(let field): track.endNumber(field)
      case .optional: track.part += 1
      case .pause: return (track, pause)
      default: return nil
      }
    }
  }

  package mutating func abandon() { tracks.removeAll(keepingCapacity: true) }

  private enum Outcome { case dead, open, ended }

  /// Advances the tracks by a byte. Returns nil if it fits none of them.
  private mutating func lead(by byte: UInt8) -> Meaning? {
    var ended: Track?
    var kept = 0
    for index in tracks.indices {
      var track = tracks[index]
      switch Self.advance(&track, by: byte, in: forms[track.form], after: bytes) {
      case .dead: break
      case .open:
        tracks[kept] = track
        kept += 1
      case .ended:
        if ended.map({ $0.mistake != nil && track.mistake == nil }) ?? true { ended = track }
      }
    }
    tracks.removeLast(tracks.count - kept)
    guard ended != nil || kept > 0 else { return nil }
    if bytes.count < Self.bytesMax { bytes.append(byte) }
    if count < .max { count += 1 }
    // A command with a mistake is refused only if no other form continues with the same bytes.
    guard let ended, ended.mistake == nil || kept == 0 else { return .open }
    tracks.removeAll(keepingCapacity: true)
    if let mistake = ended.mistake { return .refused(mistake) }
    return .command(ended.form)
  }

  /// Advances one track by a byte. `bytes`: the bytes of the command before it.
  private static func advance(
    _ track: inout Track, by byte: UInt8, in form: CommandForm, after bytes: [UInt8]
  ) -> Outcome {
    // A number of any length, and a byte that can be missing, can end before this byte.
    while track.part < form.parts.count {
      switch form.parts[track.part] {
      case .byte(let expected):
        guard byte == expected else { return .dead }
        track.part += 1
      case .either(let choices):
        guard choices.contains(byte) else { return .dead }
        track.part += 1
      case .optional(let expected):
        track.part += 1
        if byte != expected { continue }
      case .single(let field): track.end(field, Int64(byte))
      case .packed(let field, let packing):
        track.value = track.value << 8 | Int64(byte)
        track.digits += 1
        if track.digits < packing.count { return .open }
        track.end(field, packing.value(ofArrived: track.value))
      case .digits(let field, let width):
        guard take(byte, into: &track) else { return .dead }
        if track.digits + (track.isNegative ? 1 : 0) < width { return .open }
        track.endNumber(field)
      case .checksum(let checksum):
        guard let ended = take(byte, of: checksum, into: &track, after: bytes) else { return .dead }
        if !ended { return .open }
      case .number(let field):
        if take(byte, of: field, into: &track) { return .open }
        // The first number of a form has a digit, or a command would begin at any byte.
        if track.part == 0, track.digits == 0, !track.isNegative { return .dead }
        track.endNumber(field)
        continue
      case .pause: return .dead
      }
      return track.part == form.parts.count ? .ended : .open
    }
    return .dead
  }

  /// Takes a byte of a number of a fixed width. Returns whether it is a part of one.
  private static func take(_ byte: UInt8, into track: inout Track) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      track.digits += 1
      track.value = track.value * 10 + Int64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "-") where track.digits == 0 && !track.isNegative: track.isNegative = true
    default: return false
    }
    return true
  }

  /// Takes a byte of a number of any width. Returns whether it is a part of one.
  private static func take(_ byte: UInt8, of field: CommandField, into track: inout Track) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      // A number with too many digits is refused, whatever its value.
      let isFull: Bool
      if let fraction = track.fraction {
        isFull = fraction == field.decimals
        if !isFull { track.fraction = fraction + 1 }
      } else {
        isFull = track.digits == field.digitsMax - field.decimals
      }
      if isFull {
        track.note(.tooManyDigits(field))
      } else {
        track.digits += 1
        track.value = track.value * 10 + Int64(byte - UInt8(ascii: "0"))
      }
    case UInt8(ascii: "-") where track.digits == 0 && !track.isNegative: track.isNegative = true
    case UInt8(ascii: ".") where field.decimals > 0 && track.digits > 0 && track.fraction == nil:
      track.fraction = 0
    default: return false
    }
    return true
  }

  /// Takes a byte of a checksum. Returns whether the checksum ends; nil if it cannot have the byte.
  private static func take(
    _ byte: UInt8, of checksum: CommandChecksum, into track: inout Track, after bytes: [UInt8]
  ) -> Bool? {
    var digit = byte
    if checksum.isHexadecimal {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
    }
    track.value = track.value << 4 | Int64(digit)
    track.digits += 1
    if track.digits < checksum.count { return false }
    // Of a command that is too long, not all bytes are kept. It is refused because of its digits.
    let expected = checksum.value(after: bytes.dropLast(checksum.count - 1))
    if track.value != Int64(expected) { track.note(.wrongChecksum(expected)) }
    track.endPart()
    return true
  }
}
