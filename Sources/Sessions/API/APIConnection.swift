import Devices
import Engine
import Judging
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
        put(.answer(id, .picture(try Self.picture(of: trace, setting))))
      } catch {
        put(.refusal(APIRequest.Mistake(id: id, message: error.description)))
      }
    case .openTraces(let rule, let id):
      guard let setup = session.clientSetting?.setup else { return }
      do throws(TraceError) {
        let rules = try SessionRules([rule], setup) { (path) throws(TraceError) in
          var reader = try TraceReader(path: path)
          try reader.limit(
            to: SessionLimit(remedy: "a live session cannot be judged by a longer one"))
          return reader
        }
        session.take(.traces(rules, for: id), at: session.now, emit)
      } catch {
        put(.refusal(APIRequest.Mistake(id: id, message: error.description)))
      }
    default: break
    }
  }

  private static func picture(
    of trace: [UInt8], _ setting: APISetting
  ) throws(TraceError) -> String {
    var reader = try TraceReader(text: trace, path: "session")
    let session = try PlottedSession.recorded(
      &reader, firmware: setting.setup.firmware, timing: setting.setup.timing,
      named: setting.device, servo: setting.setup.servo)
    return SessionPicture.svg(of: session)
  }
}
