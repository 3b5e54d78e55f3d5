/// Finds a profile's commands in a stream of bytes, a byte at a time.
///
///     idle ──begins a command──▶ open ──its last byte──▶ idle     found, or refused
///                                 │ leads on: open
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
  }

  /// What a byte was.
  package enum Meaning: Hashable, Sendable {
    /// Part of a command that is not complete yet.
    case open
    /// White space between commands.
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
    var digits = 0
    var value: Int64 = 0
    var isNegative = false
    /// The first mistake.
    private(set) var mistake: Mistake?

    init(form: Int) { self.form = form }

    mutating func note(_ mistake: Mistake) {
      if self.mistake == nil { self.mistake = mistake }
    }

    mutating func endNumber(_ field: CommandField) {
      if digits == 0 { note(.noDigits(field)) }
      let number = isNegative ? -value : value
      if number < Int64(field.range.lowerBound) || number > Int64(field.range.upperBound) {
        note(.outOfRange(field))
      }
      (digits, value, isNegative) = (0, 0, false)
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

  /// Whether a command has begun and not ended.
  package var isOpen: Bool { !tracks.isEmpty }

  /// The forms that the bytes so far could be.
  package var openForms: [Int] { tracks.map { $0.form } }

  /// Whether this byte ends the open command without being a part of it.
  package func breaksOff(_ byte: UInt8) -> Bool {
    isOpen
      && !tracks.contains { track in
        var track = track
        return Self.advance(&track, by: byte, in: forms[track.form]) != .dead
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

  /// Abandons the open command.
  package mutating func abandon() { tracks.removeAll(keepingCapacity: true) }

  private enum Outcome { case dead, open, ended }

  /// Advances the tracks by a byte. Returns nil if it fits none of them.
  private mutating func lead(by byte: UInt8) -> Meaning? {
    var ended: Track?
    var kept = 0
    for index in tracks.indices {
      var track = tracks[index]
      switch Self.advance(&track, by: byte, in: forms[track.form]) {
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

  /// Advances one track by a byte.
  private static func advance(
    _ track: inout Track, by byte: UInt8, in form: CommandForm
  ) -> Outcome {
    switch form.parts[track.part] {
    case .byte(let expected):
      guard byte == expected else { return .dead }
      track.part += 1
    case .single(let field):
      if !field.range.contains(Int32(byte)) { track.note(.outOfRange(field)) }
      track.part += 1
    case .number(let field):
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        // A number with too many digits is refused, whatever its value.
        if track.digits < field.digitsMax {
          track.digits += 1
          track.value = track.value * 10 + Int64(byte - UInt8(ascii: "0"))
        } else {
          track.note(.tooManyDigits(field))
        }
        return .open
      case UInt8(ascii: "-") where track.digits == 0 && !track.isNegative:
        track.isNegative = true
        return .open
      default:
        guard track.part + 1 < form.parts.count, form.parts[track.part + 1] == .byte(byte) else {
          return .dead
        }
        track.endNumber(field)
        track.part += 2
      }
    }
    return track.part == form.parts.count ? .ended : .open
  }
}
