import Engine
package import Network
import Platform
import SystemPackage

/// A certificate that this computer signs itself with the `openssl` program, stored in the user's
/// files. The key is kept, so that two gateways that start at the same time use the same one.
package struct OwnCertificate {
  package let files: TLSFiles
  /// The SHA-256 fingerprint, as 32 pairs of hexadecimal digits.
  package let fingerprint: String

  /// Returns the folder of the files: `sentrybench/tls` in the user's state folder (XDG).
  ///
  /// - Parameters:
  ///   - state: `XDG_STATE_HOME`, which is used only if it is absolute.
  ///   - home: `HOME`.
  static func folder(state: String?, home: String?) throws(Failure) -> String {
    if let state, state.hasPrefix("/") { return "\(state)/sentrybench/tls" }
    if let home, home.hasPrefix("/") { return "\(home)/.local/state/sentrybench/tls" }
    throw Failure(
      .usage,
      "error: --tls self-signed requires a folder for its key: set HOME or XDG_STATE_HOME")
  }

  /// Returns the certificate for these names: the existing one while it is valid for long enough,
  /// otherwise a new one.
  package static func make(for names: CertificateNames) throws(Failure) -> OwnCertificate {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let folder = try folder(state: variable("XDG_STATE_HOME"), home: variable("HOME"))
    return try make(for: CertificateRequest(names), in: folder)
  }

  static func make(
    for request: CertificateRequest, in folder: String
  ) throws(Failure) -> OwnCertificate {
    try makeFolder(folder)
    let files = TLSFiles(certificates: "\(folder)/\(request.file)", key: "\(folder)/key.pem")
    try makeKey(files.key)
    if isThere(files.certificates), let fingerprint = try inspect(files.certificates) {
      return OwnCertificate(files: files, fingerprint: fingerprint)
    }
    let part = NewFile.name(besides: files.certificates)
    let configuration = NewFile.name(besides: "\(folder)/request")
    defer {
      unlink(part)
      unlink(configuration)
    }
    try write(Array(request.configuration.utf8), configuration)
    try run(
      CertificateRequest.makeCertificate(part, key: files.key, configuration: configuration),
      or: "it cannot use \(files.key); remove that file to have a new key made")
    guard let fingerprint = try inspect(part) else {
      throw Failure(.unavailable, "openssl: error: it did not write a certificate to \(part)")
    }
    guard rename(part, files.certificates) == 0 else {
      throw Failure(writing: files.certificates, Errno(rawValue: errno))
    }
    return OwnCertificate(files: files, fingerprint: fingerprint)
  }

  /// Returns the fingerprint; nil if the certificate can no longer be used.
  private static func inspect(_ path: String) throws(Failure) -> String? {
    let tool = try tool(CertificateRequest.inspect(path))
    return tool.status == .agree ? CertificateRequest.fingerprint(in: tool.text) : nil
  }

  /// Makes the key unless it exists. If another program makes one at the same time, both use the
  /// one that was there first.
  private static func makeKey(_ path: String) throws(Failure) {
    if !isThere(path) {
      let part = NewFile.name(besides: path)
      defer { unlink(part) }
      // Created here, empty and private: a file that openssl creates can be readable by others at
      // first.
      try write([], part)
      try run(CertificateRequest.makeKey(part), or: "it did not make a key")
      guard link(part, path) == 0 || errno == EEXIST else {
        throw Failure(writing: path, Errno(rawValue: errno))
      }
    }
    guard chmod(path, 0o600) == 0 else {
      throw Failure(writing: path, Errno(rawValue: errno))
    }
  }

  private static func makeFolder(_ folder: String) throws(Failure) {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      // The XDG specification requires that a missing folder is made for its owner only.
      guard mkdir(path, 0o700) == 0 || errno == EEXIST || isThere(path) else {
        throw Failure(writing: path, Errno(rawValue: errno))
      }
    }
    guard chmod(folder, 0o700) == 0 else {
      throw Failure(writing: folder, Errno(rawValue: errno))
    }
  }

  private static func isThere(_ path: String) -> Bool { (try? FilePath(path).stat()) != nil }

  private static func write(_ bytes: [UInt8], _ path: String) throws(Failure) {
    do {
      let descriptor = try NewFile.create(path, permissions: .init(rawValue: 0o600))
      try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
    } catch {
      throw Failure(writing: path, error)
    }
  }

  private static func run(_ command: [String], or sentence: String) throws(Failure) {
    let tool = try tool(command)
    guard tool.status == .agree else {
      let said = tool.text.split(whereSeparator: \.isNewline).last.map { " (\($0))" } ?? ""
      throw Failure(.unavailable, "openssl: error: \(sentence)\(said)")
    }
  }

  private static func tool(_ command: [String]) throws(Failure) -> ToolRun {
    guard let tool = try ToolRun.run(command) else {
      throw Failure(
        .unavailable,
        "error: --tls self-signed requires the openssl program: install it, for example with "
          + "`apt install openssl`, or give --tls cert=FILE,key=FILE")
    }
    return tool
  }
}
