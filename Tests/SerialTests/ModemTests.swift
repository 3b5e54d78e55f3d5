#if os(Linux)
  import Foundation
  import Sketches
  import Testing

  @testable import Serial

  /// A virtual console far above those in use, without any hardware.
  private let lentName = ["tty63", "tty40", "tty10"].first {
    FileManager.default.fileExists(atPath: "/sys/class/tty/\($0)")
  }

  /// Tests the path through libserialport with a pty under the name of a serial port without
  /// hardware, in a child process with a preloaded library.
  @Suite(
    .serialized,
    .enabled(if: Program.find("cc", "clang") != nil, "there is a C compiler"),
    .enabled(if: lentName != nil, "the kernel has terminals without hardware"))
  struct ModemTests {
    private let folder: URL
    private let library: String
    private let log: String

    init() throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("sentrybench-modem-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      library = folder.appendingPathComponent("modem_shim.so").path
      log = folder.appendingPathComponent("log").path
      let source = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "ModemShim/modem_shim.c").path()
      let outcome = try Program.run(
        try #require(Program.find("cc", "clang")),
        ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"], in: folder)
      try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// Runs the bench on a board with guarded under the borrowed name. Returns what the board
    /// received too.
    private func runOnBoard(_ arguments: String...) throws -> (Program.Outcome, received: String) {
      try PtyBoard.session(.guarded) { board in
        try? FileManager.default.removeItem(atPath: log)
        let outcome = try run(arguments, lending: board.path)
        return (outcome, String(decoding: board.received, as: UTF8.self))
      }
    }

    private func run(_ arguments: [String], lending pty: String?) throws -> Program.Outcome {
      var environment = ["LD_PRELOAD": library]
      if let pty {
        environment["MODEM_SHIM_NAME"] = path
        environment["MODEM_SHIM_PTY"] = pty
        environment["MODEM_SHIM_LOG"] = log
      }
      let bench = try #require(Program.bench, "the bench is not built")
      return try Program.run(bench, arguments, environment: environment, in: folder)
    }

    private var path: String { "/dev/\(lentName ?? "")" }

    /// The log of the library: time in nanoseconds, name and value.
    private func changes() throws -> [(time: Int64, what: String, value: Int)] {
      try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        return (
          try #require(Int64(words[0])), String(words[1]), try #require(Int(words[2]))
        )
      }
    }

    @Test func `DTR and RTS reset the board, and the bytes reach the pty`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (outcome, received) = try runOnBoard(
        "replay", "--device", "serial:\(path)", "--boot-time", "200ms", "--send", "X45.?",
        "--for", "1.8s")
      try #require(outcome.status == 0, "\(outcome.errors)")
      // Nothing was sent anywhere else.
      #expect(received.hasPrefix("?VX45.?"))
      let lines = outcome.output.split(separator: "\n")
      let header = try #require(lines.first)
      #expect(header.contains(#""clock": "host""#))
      #expect(header.contains(#""source": "sentrybench, serial""#))
      #expect(!header.contains("unknown"))
      #expect(lines.dropFirst().first == #"[0.000000, "servo", 90, 1472]"#)
      #expect(lines.contains { $0.hasSuffix(#", "servo", 45, 1008]"#) })
      #expect(lines.count { $0.contains(#""tx""#) } == 49)

      let changes = try changes()
      let dtr = changes.filter { $0.what == "DTR" }
      #expect(dtr.map(\.value) == [1, 0, 1])
      #expect(changes.filter { $0.what == "RTS" }.map(\.value) == [1, 0, 1])
      if dtr.count == 3 { #expect(dtr[2].time - dtr[1].time >= 100_000_000) }
      #expect(changes.contains { $0.what == "EXCL" && $0.value == 1 })
      #expect(changes.last { $0.what == "speed" }?.value == 9_600)
    }

    @Test func `With --no-reset the bench leaves the lines unchanged, even at the end`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (outcome, received) = try runOnBoard(
        "replay", "--device", "serial:\(path)", "--no-reset", "--send", "X45.", "--for", "1.7s")
      try #require(outcome.status == 0, "\(outcome.errors)")
      #expect(received.hasPrefix("?VX45."))
      #expect(outcome.output.contains(#""start": "unknown", "clock": "host""#))
      let changes = try changes()
      #expect(changes.filter { $0.what == "DTR" || $0.what == "RTS" }.map(\.value) == [1, 1])
      #expect(changes.last { $0.what == "HUPCL" }?.value == 0)
    }

    @Test func `A reset in a session pulses the lines and turns telemetry on again`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let trace = folder.appendingPathComponent("reset.jsonl").path
      try Data(
        """
        {"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 0.8}
        [0.200000, "rx", "X45."]
        [0.300000, "reset", 0]
        [0.700000, "rx", "X50."]

        """.utf8
      ).write(to: URL(fileURLWithPath: trace))
      let (outcome, received) = try runOnBoard(
        "replay", "--device", "serial:\(path)", "--boot-time", "100ms", trace)
      try #require(outcome.status == 0, "\(outcome.errors)")
      #expect(try changes().filter { $0.what == "DTR" }.map(\.value) == [1, 0, 1, 0, 1])
      #expect(received.hasPrefix("?VX45.?VX50."))
    }

    @Test func `aim sends at its speed, once the board that it has restarted has booted`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let seen = folder.appendingPathComponent("seen.jsonl").path
      try Data(
        """
        {"format": "sentry-observations", "version": 1, "image": [1000, 1000]}
        {"t": 0, "found": [{"kind": "face", "box": [0.4, 0.4, 0.2, 0.2], "confidence": 1}]}

        """.utf8
      ).write(to: URL(fileURLWithPath: seen))
      try PtyBoard.session(.guarded) { board in
        try? FileManager.default.removeItem(atPath: log)
        let start = ContinuousClock.now
        let outcome = try run(
          ["aim", seen, "--to", path, "--baud", "57600"], lending: board.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(ContinuousClock.now - start >= .seconds(2))
        #expect(board.received == Array("X90.".utf8))
        #expect(board.speeds == [57_600])
      }
      let changes = try changes()
      #expect(changes.filter { $0.what == "DTR" }.map(\.value).prefix(3) == [1, 0, 1])
      #expect(changes.last { $0.what == "speed" }?.value == 57_600)
    }

    @Test func `The command after -- does not inherit the port`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let (path, link) = (path, folder.appendingPathComponent("link").path)
      try PtyBoard.session(.guarded) { board in
        let outcome = try run(
          [
            "run", "-q", "--pty", link, "--device", "serial:\(path)", "--boot-time", "200ms", "--",
            "/bin/sh", "-c", "ls -l /proc/$$/fd",
          ], lending: board.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let open = outcome.errors.split(separator: "\n")
          .compactMap { $0.split(separator: " ").last }
        #expect(open.contains("/dev/null"), "\(outcome.errors)")
        #expect(!open.contains(Substring(board.path)), "\(outcome.errors)")
      }
    }

    @Test func `Without its environment variables the shim does nothing`() throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let outcome = try run(["--version"], lending: nil)
      #expect(outcome.status == 0)
      #expect(!FileManager.default.fileExists(atPath: log))
    }
  }
#endif
