import Foundation

/// The built command, run as a user runs it.
struct Tool {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  /// A folder of the test's own, removed with the value that made it.
  final class Folder {
    let path: String

    init() {
      path = NSTemporaryDirectory() + "sentrybench-" + UUID().uuidString
      try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file; gives its path.
    @discardableResult
    func write(_ name: String, _ text: String) -> String {
      let file = path + "/" + name
      let folder = (file as NSString).deletingLastPathComponent
      try! FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try! Data(text.utf8).write(to: URL(fileURLWithPath: file))
      return file
    }

    func read(_ name: String) -> String? {
      FileManager.default.contents(atPath: path + "/" + name).map {
        String(decoding: $0, as: UTF8.self)
      }
    }

    var names: [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }
  }

  /// Beside the test bundle, whatever the build folder is called.
  static let path: String = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<6 {
      let candidate = folder.appendingPathComponent("sentrybench").path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
      folder.deleteLastPathComponent()
    }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return root.appendingPathComponent(".build/debug/sentrybench").path
  }()

  /// Runs the command and waits for its end.
  static func run(_ arguments: String..., input: String? = nil) -> Result {
    launch(path, arguments, input: input)
  }

  /// Runs a line of shell with `$TOOL` as the command.
  static func shell(_ line: String) -> Result { launch("/bin/bash", ["-c", line], input: nil) }

  private static func launch(_ program: String, _ arguments: [String], input: String?) -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["TOOL"] = path
    process.environment = environment
    let (output, errors, standardInput) = (Pipe(), Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = input == nil ? FileHandle.nullDevice : standardInput
    try! process.run()
    if let input {
      standardInput.fileHandleForWriting.write(Data(input.utf8))
      try? standardInput.fileHandleForWriting.close()
    }
    // Read beside each other, or a full pipe would stop the command.
    let errorText = Reader(errors)
    let outputData = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
      errors: errorText.text)
  }

  private final class Reader: @unchecked Sendable {
    private var data = Data()
    private let done = DispatchSemaphore(value: 0)

    init(_ pipe: Pipe) {
      DispatchQueue.global().async { [self] in
        data = pipe.fileHandleForReading.readDataToEndOfFile()
        done.signal()
      }
    }

    var text: String {
      done.wait()
      return String(decoding: data, as: UTF8.self)
    }
  }
}

/// Traces that the tests of commands share.
enum Sample {
  static func header(_ more: String = "") -> String {
    """
    {"format": "sentry-trace", "version": 1, "firmware": "classic", "board": "uno", "baud": 9600, "duration": 2\(more)}

    """
  }

  /// Agrees with the model.
  static let good =
    header() + """
      [0.000197, "servo", 90, 1472]
      [1.500000, "rx", "X45."]
      [1.504224, "servo", 45, 1008]

      """

  /// Expects another angle.
  static let bad = good.replacing("45, 1008", with: "46, 1018")

  /// No JSON in its third line.
  static let malformed = good.replacing("[1.500000, \"rx\"", with: "[1.500000 \"rx\"")

  /// One that says nothing of what comes out.
  static let inputsOnly = header() + "[1.500000, \"rx\", \"X45.\"]\n"
}
