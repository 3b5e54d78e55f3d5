import Devices
import Engine
import Pictures
import Platform
import Sketches
import SystemPackage
import Traces

/// The connection between a session and its client.
protocol APIConnection: AnyObject {
  /// The path through which other programs connect; nil if there is none.
  var path: String? { get }
  /// The bytes of messages that the client has not read.
  var backlog: Int { get }
  /// Whether `look` or `flush` must soon be tried again even if nothing arrives.
  var needsRetry: Bool { get }
  /// One of them becomes readable when `look` has something to return.
  var descriptors: [FileDescriptor] { get }
  /// Returns what has arrived since the last call: requests, and that the client has left.
  func look() -> [SessionInput]
  /// Queues a message for the client. Without a client, the message is discarded.
  func put(_ message: APIMessage)
  /// Writes as much as the client accepts now.
  func flush()
  /// Disconnects a client that has left, once it has read the rest.
  func drop()
  /// Writes the rest and disconnects.
  func finish()
}

extension APIConnection {
  /// Carries out an effect that concerns the client.
  func carryOut(
    _ effect: SessionEffect, of session: inout Session<some RealTimeDevice>,
    _ emit: (Event) -> Void
  ) {
    switch effect {
    case .answer(let message): put(message)
    case .plot(let trace, let id):
      guard let setting = session.clientSetting else { return }
      do throws(TraceError) {
        let svg = try SessionPicture.svg(of: trace, setting.setup, named: setting.device)
        put(.answer(id, .picture(svg)))
      } catch {
        put(.refusal(APIRequest.Mistake(id: id, message: error.description)))
      }
    case .openTraces(let rule, let id):
      let open = { (path: String) throws(TraceError) in try TraceReader(path: path) }
      if let refusal = session.openTraces(of: rule, for: id, open, emit) { put(refusal) }
    default: break
    }
  }
}
