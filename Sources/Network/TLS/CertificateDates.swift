import Platform

/// The period in which a certificate is valid.
struct CertificateDates: Hashable, Sendable {
  /// Its first and last second, since the beginning of 1970, in UTC.
  var start: Int64
  var end: Int64

  /// How many days before the expiry the operator is warned.
  private static let noticeDays: Int64 = 14
  private static let day: Int64 = 86_400

  /// A warning; nil if there is none. `name` is that of the certificate.
  func warning(at now: WallTime, of name: String) -> String? {
    let now = now.microseconds / 1_000_000
    if now > end {
      return "\(name): the certificate expired on \(Self.text(end)); clients refuse it, "
        + "so replace it"
    }
    if now < start {
      return "\(name): the certificate is not valid before \(Self.text(start)); clients refuse it, "
        + "so wait until then or check this computer's clock"
    }
    guard end - now < Self.noticeDays * Self.day else { return nil }
    let days = (end - now) / Self.day
    let rest = days == 0 ? "in less than a day" : days == 1 ? "in 1 day" : "in \(days) days"
    return "\(name): the certificate expires \(rest), on \(Self.text(end)); replace it before then"
  }

  /// `2026-11-21 07:06:22 UTC`.
  private static func text(_ seconds: Int64) -> String {
    // The years in a certificate have four digits.
    let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
    let text = WallTime(microseconds: seconds * 1_000_000).text
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }
}
