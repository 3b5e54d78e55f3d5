import SystemPackage

/// The files with the server's certificate and its key, both in PEM.
package struct TLSFiles: Hashable, Sendable {
  /// The server's own certificate first, then the chain to the root.
  package var certificates: String
  package var key: String

  package init(certificates: String, key: String) {
    self.certificates = certificates
    self.key = key
  }

  /// Checks that a file can be read: the library does not distinguish a missing file from an
  /// invalid one.
  static func check(_ path: String) throws(NetworkError) {
    do {
      try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec).close()
    } catch let error as Errno {
      throw NetworkError(
        error == .noSuchFileOrDirectory ? .noInput : .inputOutput,
        "\(path): error: cannot be read: \(error)")
    } catch {
      throw NetworkError(.inputOutput, "\(path): error: cannot be read: \(error)")
    }
  }
}
