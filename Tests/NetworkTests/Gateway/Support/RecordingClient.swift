import Engine
import NIOCore
import Network
import Sketches

/// A client without a network, which keeps what is sent to it.
final class RecordingClient: Client {
  let id: ClientID
  let transport: Transport
  let address = "192.0.2.1:50000"
  var isWritable = true
  var isReading = true
  /// The messages sent to it one by one, as Latin-1 text.
  private(set) var messages: [String] = []
  private(set) var kinds: [MessageKind] = []
  /// The prepared frames sent to it, one entry per call.
  private(set) var prepared: [ByteBuffer] = []
  /// Runs after each message.
  var onSend: () -> Void = {}

  init(_ number: Int, _ transport: Transport = .webSocket) {
    id = ClientID(number)
    self.transport = transport
  }

  /// The codes of the messages to it, such as `queue-full`.
  var codes: [String] {
    messages.compactMap { message in
      let parts = message.split(separator: "\"")
      guard parts.count > 3, ["error", "notice"].contains(parts[1]) else { return nil }
      return String(parts[3])
    }
  }

  /// The payloads of the frames.
  var lines: [String] { prepared.flatMap(Self.payloads) }

  func send(_ bytes: [UInt8], as kind: MessageKind) {
    messages.append(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    kinds.append(kind)
    onSend()
  }

  func send(prepared frames: ByteBuffer) {
    prepared.append(frames)
    onSend()
  }

  func forget() {
    messages = []
    kinds = []
    prepared = []
  }

  /// Splits up a server's complete text frames (RFC 6455, 5.2) of up to 65 535 bytes each.
  private static func payloads(_ frames: ByteBuffer) -> [String] {
    var frames = frames
    var found: [String] = []
    while let head = frames.readInteger(as: UInt8.self) {
      precondition(head == 0x81, "not a whole text frame")
      var count = Int(frames.readInteger(as: UInt8.self)!)
      if count == 126 { count = Int(frames.readInteger(as: UInt16.self)!) }
      found.append(frames.readString(length: count)!)
    }
    return found
  }
}
