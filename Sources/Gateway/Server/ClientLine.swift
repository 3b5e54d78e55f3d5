import Logging
import NIOCore
import SystemPackage
import Turret

/// What a client keeps of its connection, whatever is spoken on it. It knows neither when the
/// client is open nor what its bytes mean.
final class ClientLine {
  static let unread = Closing(CloseCode.policyViolation, "what is sent is not read")
  static let idle = Closing(CloseCode.policyViolation, "nothing has come for long")

  let id: ClientID
  let address: String
  let reception: Reception
  private(set) var context: ChannelHandlerContext?
  /// What has come and is not taken yet.
  var held = ByteBuffer()
  /// Whether the bench ends: what comes from then on is counted, and nothing more.
  var isGoingAway = false
  private var heartbeat: Heartbeat
  private var hasDelivered = false
  /// Whether the host knows of it.
  private var isKnown = false
  private var timer: Scheduled<Void>?
  private let lingering = Lingering()

  init(_ reception: Reception, _ address: String, _ heartbeat: Heartbeat) {
    self.reception = reception
    self.address = address
    self.heartbeat = heartbeat
    id = reception.nextID()
  }

  func added(_ context: ChannelHandlerContext) { self.context = context }

  /// The connection is over; the client has left already.
  func removed(_ connection: any Connection) {
    context = nil
    reception.closed(connection)
  }

  // MARK: The host

  func join(path: String) {
    isKnown = true
    reception.log.debug(
      "joined", metadata: ["from": "\(address)", "id": "\(id)", "path": "\(path)"])
  }

  /// How the host is to be told that the client has left; nil: it was told, or never knew it.
  func leave(_ departure: Departure) -> Departure? {
    guard isKnown else { return nil }
    isKnown = false
    let departure = isGoingAway ? .dismissed(.goingAway) : departure
    reception.log.debug("left", metadata: ["id": "\(id)", "how": "\(departure)"])
    return departure
  }

  func deliver(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    hasDelivered = true
    reception.host.received(bytes, as: kind, from: client)
  }

  /// All that had come has been taken.
  func endBurst() {
    guard hasDelivered else { return }
    hasDelivered = false
    reception.host.receivedAll()
  }

  // MARK: Reading and writing

  var isWritable: Bool { context?.channel.isWritable == true }

  /// `resume`: takes what is held, in a later turn of the loop.
  func read(_ isReading: Bool, resume: @escaping () -> Void) {
    guard let context else { return }
    heartbeat.read(isReading, at: .uptime)
    try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    if isReading, held.readableBytes > 0 { reception.loop.execute(resume) }
  }

  /// Keeps what has come until it is taken.
  func hold(_ bytes: inout ByteBuffer) {
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
  }

  /// Takes what is held out.
  func takeHeld() -> ByteBuffer {
    defer { held = ByteBuffer() }
    return held
  }

  /// Sends bytes, unless so much waits for a client that does not read that it is to be closed:
  /// false.
  func write(_ bytes: ByteBuffer) -> Bool {
    guard let context else { return true }
    if !context.channel.isWritable {
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if waiting + bytes.readableBytes > reception.limits.outboundBytesMax { return false }
    }
    writeLast(bytes)
    return true
  }

  /// Sends bytes over the limit of what waits.
  func writeLast(_ bytes: ByteBuffer) {
    context?.writeAndFlush(NIOAny(bytes), promise: nil)
  }

  // MARK: Its end

  /// Nothing more is said, and nothing heard: waits only for the end of the connection.
  func linger(cut: @escaping () -> Void) {
    timer?.cancel()
    guard let context else { return }
    lingering.begin(context, in: TimeAmount(reception.limits.closeTime), cut: cut)
  }

  /// The answer to a close frame is waited for.
  func awaitAnswer(cut: @escaping () -> Void) {
    timer?.cancel()
    try? context?.channel.syncOptions?.setOption(.autoRead, value: true)
    timer = reception.loop.scheduleTask(in: TimeAmount(reception.limits.closeTime), cut)
  }

  func cancelTimers() {
    timer?.cancel()
    lingering.end()
  }

  /// Whether the error means that the other end does not answer any more.
  func failed(_ error: any Error) -> Bool {
    reception.log.debug("connection failed", metadata: ["id": "\(id)", "why": "\(error)"])
    return (error as? IOError)?.errnoCode == Errno.timedOut.rawValue
  }

  // MARK: Time

  func hear() { heartbeat.hear(at: .uptime) }

  func tick() -> Heartbeat.Action { heartbeat.tick(at: .uptime) }

  /// Has `tick` called when it is due.
  func schedule(_ tick: @escaping () -> Void) {
    guard heartbeat.due != .distantFuture else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(heartbeat.due.nanoseconds))
    timer = reception.loop.scheduleTask(deadline: deadline, tick)
  }
}
