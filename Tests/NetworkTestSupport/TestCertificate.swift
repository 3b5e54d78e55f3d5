package import Network
import Platform

/// A self-signed certificate for `localhost`, and its key, which protects nothing.
///
/// Made with `openssl ecparam -name prime256v1 -genkey`, `openssl pkcs8 -topk8 -nocrypt` and
/// `openssl req -x509 -days 36500 -subj /CN=localhost`.
package enum TestCertificate {
  package static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmjCCAUGgAwIBAgIUM9cJOB09J1V4bv2RrSE6R9d5LKAwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0MjgzN1oYDzIxMjYxMDI4
    MTQyODM3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAASknropgyzfFyPKdr0DlEzonY8tUO7k6Z+LHPfJez1GFokfiDRMHf4Y
    KMSvOLtDyJvRgapyWd3moEKkLXhymXRRo28wbTAdBgNVHQ4EFgQU88c3FMa4JJZ6
    5OVKrLZ+hyHj3r0wHwYDVR0jBBgwFoAU88c3FMa4JJZ65OVKrLZ+hyHj3r0wDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDRwAwRAIgSuKVxhCQvn8EjRc5K30234fuadVyLqYSJmJYE+riilECICy8
    xkalKX2QEMM2FFJkYnWFhFuM2ueQJdrzPhBbvDVU
    -----END CERTIFICATE-----

    """

  package static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0veHZYKeDnukVAT/
    thdgJ1qXwP7GLzPyGEFGU4+2+iahRANCAASknropgyzfFyPKdr0DlEzonY8tUO7k
    6Z+LHPfJez1GFokfiDRMHf4YKMSvOLtDyJvRgapyWd3moEKkLXhymXRR
    -----END PRIVATE KEY-----

    """

  /// Writes both to files, which exist for as long as `body` runs.
  package static func inFiles<Result>(
    certificate: String = certificate, key: String = key, _ body: (TLSFiles) throws -> Result
  ) throws -> Result {
    let certificatePath = file(certificate)
    let keyPath = file(key)
    defer {
      unlink(certificatePath)
      unlink(keyPath)
    }
    return try body(TLSFiles(certificates: certificatePath, key: keyPath))
  }

  private static func file(_ text: String) -> String {
    var name = Array("/tmp/sentrybench-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
