import Foundation
import Platform
import TestSupport
import Testing

/// A running gateway on ports that the system chose, which records to `record.jsonl`.
final class GatewayStage {
  let bench: Bench
  private let running: Bench.Running
  /// The ports for WebSocket and for bare TCP; 0 for none.
  private(set) var port: UInt16 = 0
  private(set) var tcpPort: UInt16 = 0

  /// Starts it, and waits until it listens. `shell` is a shell command in which `"$0" "$@"` is the
  /// gateway, for example to set limits.
  init(
    _ options: [String] = [], records: Bool = true, tcp: Bool = false, shell: String? = nil,
    in bench: Bench? = nil
  ) async throws {
    let bench = try bench ?? Bench()
    self.bench = bench
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    var arguments = ["gateway", "--listen", "127.0.0.1:0"]
    if tcp { arguments += ["--tcp", "127.0.0.1:0"] }
    if records { arguments += ["--record", "record.jsonl"] }
    arguments += options
    if let shell {
      running = try bench.start("/bin/bash", ["-c", shell, program] + arguments)
    } else {
      running = try bench.start(program, arguments)
    }
    try await Stage.wait("the addresses", within: 20) {
      let text = self.running.errorsSoFar
      self.port = Self.port(behind: "listening on ws", in: text)
      self.tcpPort = Self.port(behind: "listening on tcp", in: text)
      return self.port > 0 && (!tcp || self.tcpPort > 0) || !self.running.isRunning
    }
    if port == 0 { throw Stage.TookTooLong(what: errors) }
  }

  private static func port(behind start: String, in text: String) -> UInt16 {
    guard let range = text.range(of: start) else { return 0 }
    let line = text[range.upperBound...].prefix { !$0.isNewline }
    guard line.count < text[range.upperBound...].count else { return 0 }
    let digits = line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
    return UInt16(digits) ?? 0
  }

  var errors: String { running.errorsSoFar }
  var isRunning: Bool { running.isRunning }

  /// Connects a client, which must be admitted.
  func connect(_ path: String = "/", headers: [String] = []) throws -> WebSocketPeer {
    let peer = try WebSocketPeer(port: port, path: path, headers: headers)
    try #require(peer.status == 101)
    return peer
  }

  /// The recording so far.
  var recording: String { (try? bench.read("record.jsonl")) ?? "" }

  /// Waits until the recording has this many lines that contain a text.
  func recorded(_ text: String, times: Int = 1) async throws {
    try await Stage.wait("\(times) of \(text)", within: 20) {
      self.recording.split(separator: "\n").count { $0.contains(text) } >= times
    }
  }

  /// All bytes that the board received according to the recording, joined.
  var received: String {
    recording.split(separator: "\n").compactMap { line -> String? in
      let event = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [Any]
      guard let event, event.count == 3, event[1] as? String == "rx" else { return nil }
      return event[2] as? String
    }.joined()
  }

  /// Requests a path. Returns the status, the lines of the headers, and the body.
  func get(_ path: String) throws -> (status: Int, headers: [Substring], body: String) {
    let socket = try PlainSocket(port: port)
    socket.write("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
    let head = socket.read(through: "\r\n\r\n")
    let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    return (
      status, head.split(separator: "\r\n"), String(decoding: socket.read(1 << 16), as: UTF8.self)
    )
  }

  /// Returns the contents of `/health`.
  func health() throws -> [String: Any] {
    let body = Data(try get("/health").body.utf8)
    return try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
  }

  /// Waits until `/health` has a status, and returns its contents.
  @discardableResult func health(is status: Int) async throws -> [String: Any] {
    try await Stage.wait("/health with \(status)", within: 20) {
      (try? self.get("/health").status) == status
    }
    return try health()
  }

  /// Returns a figure of `/metrics`. `name` has the form `name{labels}`, without `sentrybench_`.
  /// Nil if there is no such figure.
  func metric(_ name: String) throws -> Double? {
    let start = "sentrybench_\(name) "
    let line = try get("/metrics").body.split(separator: "\n").first { $0.hasPrefix(start) }
    return line.flatMap { Double($0.dropFirst(start.count)) }
  }

  /// Waits until a figure has a value.
  func metric(_ name: String, is value: Double) async throws {
    try await Stage.wait("\(name) = \(value)", within: 20) { (try? self.metric(name)) == value }
  }

  /// Returns all figures of `/metrics` by `name{labels}`, without `sentrybench_`.
  func metrics() throws -> [String: Double] {
    let samples = try PrometheusChecker(get("/metrics").body).samples
    return Dictionary(
      uniqueKeysWithValues: samples.map { ($0.key.replacing("sentrybench_", with: ""), $0.value) })
  }

  /// Returns its memory in bytes, and the number of its open descriptors. Linux only.
  func usage() throws -> (memory: Int, descriptors: Int) {
    let folder = "/proc/\(running.identifier)"
    let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    let kilobytes = try #require(Int(line.filter(\.isNumber)))
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd")
    return (kilobytes << 10, descriptors.count)
  }

  func send(_ number: Int32) { #expect(kill(running.identifier, number) == 0) }

  /// Waits until it ends, for any reason.
  func finish() async throws -> Bench.Outcome {
    try await Stage.wait("the end", within: 20) { !self.running.isRunning }
    return try running.finish(within: 5)
  }

  /// Ends it as a service manager does.
  func terminate() async throws -> Bench.Outcome {
    send(SIGTERM)
    return try await finish()
  }

  deinit { if running.isRunning { kill(running.identifier, SIGKILL) } }
}
