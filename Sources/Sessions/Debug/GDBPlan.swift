import AVR
import ChipDevice
import Devices
import Engine
import GDB
import Network
import Platform
import Sketches
import Traces

/// Where a debugger connects, and what it is told of the program.
package struct GDBPlan: Sendable {
  private let endpoint: Endpoint
  private let map: SourceMap

  /// The most bytes that the snapshots of a session take.
  private static let memoryMax = 256 << 20

  /// Parses `PORT` or `HOST:PORT`. `symbols` is the path of an .elf with what is known of the
  /// program's source; nil for the program's own.
  package init(
    listening text: String, program choice: DeviceChoice, symbols: String?
  ) throws(Failure) {
    // As GDB's own `target remote :1234`.
    let port = text.hasPrefix(":") ? String(text.dropFirst()) : text
    guard let endpoint = Endpoint(text) ?? Endpoint("127.0.0.1:\(port)") else {
      throw Failure(
        .usage,
        "error: --gdb: \"\(text)\" is not an address to listen on; expected PORT or HOST:PORT, for "
          + "example 1234 or [::1]:1234")
    }
    guard let source = choice.source as? AVRSource, let path = choice.programPath else {
      throw DebugRun.noProgram
    }
    self.endpoint = endpoint
    map = try source.program.sourceMap(at: path, symbols: symbols)
  }

  /// Listens, and says on standard error what that means.
  func listen() throws(Failure) -> GDBPort {
    do throws(NetworkError) {
      let port = try GDBPort(endpoint)
      Console.remark(Self.notice(of: port.endpoint))
      return port
    } catch {
      var failure = Failure(error)
      failure.message += "; choose another port with --gdb"
      throw failure
    }
  }

  static func notice(of endpoint: Endpoint) -> String {
    guard endpoint.isLoopback else {
      return "warning: GDB's protocol has no access control, and other computers can reach "
        + "\(endpoint): anyone there can read and change this program's emulated board, and stop "
        + "the session"
    }
    return "GDB's protocol has no access control: any program on this computer can read and change "
      + "the emulated board at \(endpoint)"
  }

  /// - Parameters:
  ///   - events: all events of a recorded session; empty for a live one.
  ///   - end: its end; zero for a live one.
  func server(
    at port: GDBPort, _ source: AVRSource, _ header: Header, events: [Event],
    end: Instant, isLive: Bool = false, report: @escaping (String) -> Void
  ) -> GDBServer {
    let timeline = ChipTimeline(
      source, header, inputs: events.filter { $0.isInput }, end: end, isLive: isLive,
      memoryMax: Self.memoryMax)
    let moments = SessionMoments(source, header, events: events, end: end, isLive: isLive)
    return GDBServer(
      on: HostSystem.shared, listeners: port.take(), GDBStub(timeline, moments, map),
      isLive: isLive, report: report)
  }
}

/// The sockets on which a debugger's port listens.
final class GDBPort {
  private let sockets: [ListeningSocket]

  init(_ endpoint: Endpoint) throws(NetworkError) {
    sockets = try ListeningSocket.open([endpoint])
  }

  /// The address, with the port that was chosen.
  var endpoint: Endpoint {
    sockets.first.flatMap { Endpoint($0.address.endpoint) } ?? Endpoint(host: "?", port: 0)
  }

  /// Hands the sockets over.
  func take() -> [CInt] { sockets.compactMap { $0.take() } }

  /// Says on standard output that a GDB can connect, in the words that editors wait for.
  func announce() throws(Failure) {
    try Console.write("Listening on port \(endpoint.port) for gdb connection")
    try Console.flush()
  }
}

/// Serves a GDB on the session of a trace, or of bytes.
package struct GDBRun: Sendable {
  private let input: ReplayRun
  private let choice: DeviceChoice
  private let plan: GDBPlan

  package init(_ input: ReplayRun, on choice: DeviceChoice, _ plan: GDBPlan) {
    self.input = input
    self.choice = choice
    self.plan = plan
  }

  package func run() throws {
    guard let source = choice.source as? AVRSource else { throw DebugRun.noProgram }
    var reader = try input.openReader(on: source) { (reader) throws(Failure) in
      if let other = choice.otherSketch(than: reader) { throw other }
    }
    try reader.limit(to: input.limit)
    let events = try reader.readEvents()
    if let note = try choice.difference(from: events, reader.header, at: reader.path, on: source) {
      Console.remark("\(reader.path): note: \(note)")
    }
    let port = try plan.listen()
    let server = plan.server(
      at: port, source, reader.header, events: events, end: reader.header.end ?? reader.time
    ) { Console.remark($0) }
    try port.announce()
    server.serve()
  }
}

extension DeviceChoice {
  /// Returns why a trace is not of the device's program; nil if it is, or can be.
  fileprivate func otherSketch(than reader: borrowing TraceReader) -> Failure? {
    guard firmware == nil, reader.evidence == nil,
      case .ours(let own)? = source.programSketch, reader.header.sketchName != own.rawValue
    else { return nil }
    return Failure(
      .malformed,
      "\(reader.path): error: is a trace of the sketch "
        + "\(PlainText.quoted(reader.header.sketchName)), and the program is \(own.rawValue); "
        + "--firmware \(own.rawValue) takes it as one of that")
  }
}
