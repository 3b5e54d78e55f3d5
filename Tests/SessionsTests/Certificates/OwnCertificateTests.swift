import Engine
import Foundation
import Network
import TestSupport
import Testing

@testable import Sessions

struct OwnCertificateTests {
  static let hasOpenSSL = (try? ToolRun.run(["openssl", "version"]))?.status == .agree

  private static func request(_ hostName: String) -> CertificateRequest {
    CertificateRequest(CertificateNames(hostName: hostName, hosts: [], interfaces: []))
  }

  private static func mode(_ path: String) throws -> Int {
    let values = try FileManager.default.attributesOfItem(atPath: path)
    return (values[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test(arguments: [
    ("/s", "/h", "/s/sentrybench/tls"), (nil, "/h", "/h/.local/state/sentrybench/tls"),
    ("relative", "/h", "/h/.local/state/sentrybench/tls"), (nil, nil, nil), ("", "", nil),
  ])
  func `The files are in the user's folder for states`(
    state: String?, home: String?, folder: String?
  ) {
    #expect((try? OwnCertificate.folder(state: state, home: home)) == folder)
  }

  @Test(.enabled(if: hasOpenSSL))
  func `A certificate is made once for the same names, and its key is private`() throws {
    let test = try TestFolder()
    let folder = test.path("a/tls")
    let first = try OwnCertificate.make(for: Self.request("turret"), in: folder)
    let second = try OwnCertificate.make(for: Self.request("turret"), in: folder)
    #expect(first.files == second.files)
    #expect(first.fingerprint == second.fingerprint)
    #expect(try Self.mode(first.files.key) == 0o600)
    #expect(try Self.mode(folder) == 0o700)

    let other = try OwnCertificate.make(for: Self.request("other"), in: folder)
    #expect(other.files.key == first.files.key)
    #expect(other.fingerprint != first.fingerprint)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.count == 3)
    #expect(names.allSatisfy { $0.hasSuffix(".pem") })
  }

  @Test(.enabled(if: hasOpenSSL))
  func `A file that is not a certificate is replaced`() throws {
    let test = try TestFolder()
    let request = Self.request("turret")
    try test.write("nothing\n", request.file)
    let made = try OwnCertificate.make(for: request, in: test.folder.path)
    #expect(made.fingerprint.utf8.count == 95)
  }

  @Test(.enabled(if: hasOpenSSL))
  func `A key that is not a key is reported with its file`() throws {
    let test = try TestFolder()
    try test.write("nothing\n", "key.pem")
    do {
      _ = try OwnCertificate.make(for: Self.request("turret"), in: test.folder.path)
      Issue.record("no error")
    } catch {
      #expect(error.message.contains("remove that file"))
    }
  }

  @Test(
    .enabled(if: hasOpenSSL),
    arguments: [
      (["-verify_hostname", "turret.local"], true), (["-verify_ip", "127.0.0.1"], true),
      (["-verify_hostname", "elsewhere.example"], false), (["-verify_ip", "10.9.9.9"], false),
    ])
  func `A client that trusts the certificate accepts it as this server's, and as no other's`(
    options: [String], isAccepted: Bool
  ) throws {
    let test = try TestFolder()
    let path = try OwnCertificate.make(for: Self.request("turret"), in: test.folder.path)
      .files.certificates
    let command =
      ["openssl", "verify", "-purpose", "sslserver", "-CAfile", path] + options + [path]
    #expect((try ToolRun.run(command)?.status == .agree) == isAccepted)
  }
}
