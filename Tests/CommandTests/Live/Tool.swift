import Foundation
import TestSupport

/// A program that tests use as a sender. `make test` installs all of them, and their absence is
/// then a failure (`SENTRY_TOOLS=required`). Otherwise, a test whose program is missing is skipped.
enum Tool: String, CaseIterable, Sendable {
  case socat, picocom, tio, expect, stty, pyserial

  /// Whether to run the tests that need it.
  var isExpected: Bool { Self.areRequired || path != nil }

  static func areExpected(_ tools: Tool...) -> Bool { tools.allSatisfy(\.isExpected) }

  /// The path of the program; nil if it is missing. For pyserial, the path of a Python that has it.
  var path: String? { Self.paths[self] }

  static let isLinux = OperatingSystem.isLinux

  private static let areRequired =
    isLinux && ProcessInfo.processInfo.environment["SENTRY_TOOLS"] == "required"

  /// Searched for once.
  private static let paths: [Tool: String] = {
    var paths: [Tool: String] = [:]
    for tool in allCases {
      paths[tool] =
        tool == .pyserial
        ? pythons.first { runs($0, ["-c", "import serial"]) } : find(tool.rawValue)
    }
    return paths
  }()

  /// The path of a Python that other users can run too, which cannot enter this user's home; nil if
  /// there is none. Only root can find out.
  static let publicPython = pythons.first {
    runs("/usr/bin/env", ["setpriv", "--reuid", "65534", "--clear-groups", $0, "-c", ""])
  }

  private static var pythons: [String] {
    [find("python3"), "/usr/bin/python3"].compactMap { $0 }
  }

  private static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func runs(_ program: String, _ arguments: [String]) -> Bool {
    guard let bench = try? Bench() else { return false }
    return (try? bench.start(program, arguments).finish())?.status == 0
  }
}
