import Platform
import Traces

/// The time zone of the dates in a recording.
package enum RecordedZone: Hashable, Sendable {
  /// Seconds to the east of UTC.
  case offset(Int)
  /// A name in the system's database.
  case name(String)

  private static let folder = "/usr/share/zoneinfo"

  /// Parses `UTC`, `+02:00` or a name. Nil if this computer has no such zone.
  package init?(_ text: String) {
    if text == "UTC" || text == "Z" {
      self = .offset(0)
      return
    }
    if let sign = text.first, sign == "+" || sign == "-" {
      guard let offset = Self.seconds(text.dropFirst()) else { return nil }
      self = .offset(sign == "-" ? -offset : offset)
      return
    }
    // The name becomes part of a path, so it must not lead out of the folder.
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { Self.isPlain($0) }
    }
    guard isPlain, text.utf8.count <= 64, Self.isFile("\(Self.folder)/\(text)") else { return nil }
    self = .name(text)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
    default: false
    }
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Parses `02:00`, less than a day.
  private static func seconds(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // Swift's own parsing also accepts a sign.
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy { ("0"..."9").contains($0) } }),
      let hours = UInt8(parts[0]), let minutes = UInt8(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return Int(hours) * 3_600 + Int(minutes) * 60
  }

  /// Returns the zone's offset at a local time, in seconds to the east of UTC. `local` must begin
  /// like `2026-11-23T01:30:00`; the result is nil for anything else.
  ///
  /// This changes the time zone of the whole process, because the C library has only one. Use it
  /// only in a command that does not need local times otherwise.
  package func offset(at local: String) -> Int? {
    switch self {
    case .offset(let seconds): return seconds
    case .name(let name):
      let fields = local.prefix(19).split { "-T:".contains($0) }.map { Int32($0) }
      guard fields.count == 6, let year = fields[0], let month = fields[1], let day = fields[2],
        let hour = fields[3], let minute = fields[4], let second = fields[5]
      else { return nil }
      setenv("TZ", name, 1)
      tzset()
      var time = tm()
      time.tm_year = year - 1_900
      time.tm_mon = month - 1
      time.tm_mday = day
      time.tm_hour = hour
      time.tm_min = minute
      time.tm_sec = second
      time.tm_isdst = -1
      return mktime(&time) == -1 ? nil : time.tm_gmtoff
    }
  }
}
