import Foundation
import TestSupport

/// A program that runs to its end in a folder.
struct Program {
  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  enum Trouble: Error { case notBuilt, tooLong }

  /// The path of the bench; nil if it was not built.
  static let bench = BuiltProgram.path

  /// The first of these programs that is installed.
  static func find(_ names: String...) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for name in names {
      for folder in folders {
        let path = "\(folder)/\(name)"
        if FileManager.default.isExecutableFile(atPath: path) { return path }
      }
    }
    return nil
  }

  static func run(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: URL
  ) throws -> Outcome {
    let process = Process()
    let done = DispatchSemaphore(value: 0)
    let prints = ["output", "errors"].map { folder.appendingPathComponent("\($0)-\(UUID())") }
    for print in prints { try Data().write(to: print) }
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let handles = try prints.map { try FileHandle(forWritingTo: $0) }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    // Foundation never closes them.
    defer { for handle in handles { try? handle.close() } }
    process.terminationHandler = { _ in done.signal() }
    try process.run()
    guard done.wait(timeout: .now() + 60) == .success else {
      process.terminate()
      throw Trouble.tooLong
    }
    let texts = try prints.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}
