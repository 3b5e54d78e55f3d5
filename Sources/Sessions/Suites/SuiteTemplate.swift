import Platform
import SystemPackage

/// A first suite: the files that `init` writes.
package struct SuiteTemplate: Sendable {
  package struct File: Hashable, Sendable {
    package var path: String
    package var contents: String
  }

  /// The folder of the scenarios.
  package let folder: String

  package static let usualFolder = "scenarios"

  package init(folder: String) {
    var folder = folder
    while folder.count > 1, folder.last == "/" { folder.removeLast() }
    self.folder = folder
  }

  package var files: [File] {
    [
      File(path: "\(folder)/bytes.yaml", contents: Self.bytes),
      File(path: "\(folder)/sender.yaml", contents: Self.session),
      File(path: "\(folder)/sender.sh", contents: Self.sender),
      File(path: ".github/workflows/sentrybench.yml", contents: workflow),
    ]
  }

  /// Writes the files that do not exist yet. Returns whether each was written.
  package func write() throws(Failure) -> [(file: File, isNew: Bool)] {
    var written: [(file: File, isNew: Bool)] = []
    for file in files { written.append((file, try Self.write(file))) }
    return written
  }

  private static func write(_ file: File) throws(Failure) -> Bool {
    do {
      if let slash = file.path.lastIndex(of: "/"), slash > file.path.startIndex {
        try OutputFolder.make(String(file.path[..<slash]))
      }
      let descriptor = try NewFile.create(file.path, permissions: .init(rawValue: 0o644))
      do {
        try descriptor.closeAfter { _ = try descriptor.writeAll(file.contents.utf8) }
      } catch {
        // Otherwise the next `init` would keep what a full disk has left of it.
        unlink(file.path)
        throw error
      }
      return true
    } catch Errno.fileExists {
      return false
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(writing: file.path, error)
    }
  }

  private static let bytes = """
    # Bytes with their times in seconds, and what must happen. This runs in virtual time.
    name: aims as soon as a command is complete
    firmware: guarded
    send: [[1.5, "X45."], [2.0, "X110"], [2.1, "."]]
    expect:
      - {servo: 45, within: 50ms, of: "X45."}
      - {servo: 110, within: 150ms, of: "X110."}
      - never: [lost, junk, swallowed, abandoned]
    ---
    name: sweeps when it has no target
    firmware: guarded
    send: [[1.5, "L"]]
    expect:
      - ends: {sweeping: yes}

    """

  private static let session = """
    # A program with a bench of its own. It starts in this folder and finds its port in SENTRY_PORT.
    name: the sender aims twice
    firmware: guarded
    run: sh sender.sh
    timeout: 10s
    expect:
      - {servo: 45, of: "X45.", within: 200ms}
      - {servo: 135, of: "X135.", within: 200ms}
      - never: [lost, junk, swallowed, abandoned, refused]
      - exit: 0

    """

  private static let sender = """
    # Replace this with your own program.
    exec >"$SENTRY_PORT"
    sleep 1.2
    printf X45.
    sleep 0.3
    printf X135.
    sleep 0.3

    """

  private var workflow: String {
    """
    name: Turret
    on: [push, pull_request]

    jobs:
      scenarios:
        runs-on: ubuntu-latest
        container: swift:6.2
        steps:
          - uses: actions/checkout@v4
          # Uploads the report and the artifacts of failed scenarios.
          - uses: OWNER/sentrybench@main  # your copy of it
            with:
              path: '\(folder)'

    """
  }
}
