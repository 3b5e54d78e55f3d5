import NetworkTestSupport
import Platform
import Testing

@testable import Network

struct CertificateDatesTests {
  private static let day: Int64 = 86_400
  /// 2026-11-21 07:06:22 UTC, and a year later.
  private static let dates = CertificateDates(start: 1_795_244_782, end: 1_826_780_782)

  @Test(
    arguments: [
      (Self.dates.start, nil), (Self.dates.start + 1, nil), (Self.dates.end - 14 * day, nil),
      (
        Self.dates.start - 1,
        "is not valid before 2026-11-21 07:06:22 UTC; clients refuse it, so wait until then or "
          + "check this computer's clock"
      ),
      (
        Self.dates.end - 14 * day + 1,
        "expires in 13 days, on 2027-11-21 07:06:22 UTC; replace it before then"
      ),
      (
        Self.dates.end - day,
        "expires in 1 day, on 2027-11-21 07:06:22 UTC; replace it before then"
      ),
      (
        Self.dates.end - day + 1,
        "expires in less than a day, on 2027-11-21 07:06:22 UTC; replace it before then"
      ),
      (
        Self.dates.end,
        "expires in less than a day, on 2027-11-21 07:06:22 UTC; replace it before then"
      ),
      (
        Self.dates.end + 1,
        "expired on 2027-11-21 07:06:22 UTC; clients refuse it, so replace it"
      ),
    ] as [(Int64, String?)])
  func `A certificate that is invalid, or soon will be, gives a warning`(
    now: Int64, warning: String?
  ) {
    #expect(
      Self.dates.warning(at: WallTime(microseconds: now * 1_000_000), of: "cert.pem")
        == warning.map { "cert.pem: the certificate \($0)" })
  }

  @Test func `Any date can be reported without a trap`() {
    let now = WallTime(microseconds: 0)
    let past = CertificateDates(start: .min, end: .min).warning(at: now, of: "a")
    let future = CertificateDates(start: .max, end: .max).warning(at: now, of: "a")
    #expect(past?.contains("expired on ") == true && future?.contains("9999-12-31") == true)
  }

  #if TLS
    @Test func `Each certificate in a file is checked`() throws {
      let two = TestCertificate.certificate + OtherCertificates.expired
      try TestCertificate.inFiles(certificate: two) { files in
        // 2026-11-22.
        let warnings = files.warnings(at: WallTime(microseconds: 1_795_327_200_000_000))
        #expect(
          warnings == [
            "\(files.certificates), certificate 2: the certificate expired on "
              + "2020-01-01 00:00:00 UTC; clients refuse it, so replace it"
          ])
      }
    }
  #endif
}
