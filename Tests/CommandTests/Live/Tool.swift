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
      if tool == .pyserial {
        paths[tool] = [find("python3"), "/usr/bin/python3"].compactMap { $0 }.first(
          where: hasSerial)
      } else {
        paths[tool] = find(tool.rawValue)
      }
    }
    return paths
  }()

  private static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func hasSerial(_ python: String) -> Bool {
    guard let bench = try? Bench() else { return false }
    return (try? bench.start(python, ["-c", "import serial"]).finish())?.status == 0
  }
}
