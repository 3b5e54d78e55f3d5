import Logging
import NIOCore
import Sketches
import SystemPackage

/// The part of a client's connection that is the same for WebSocket and TCP. It knows neither when
/// the connection is open nor what its bytes mean.
final class ConnectionCore {
  static let unread = Closing(CloseCode.policyViolation, "the client does not read")
  static let idle = Closing(CloseCode.policyViolation, "the client sent nothing for too long")

  let id: ClientID
  let address: String
  let registry: ConnectionRegistry
  let delegate: any ServerDelegate
  private(set) var context: ChannelHandlerContext?
  /// Bytes that have been received and not yet taken.
  var held = ByteBuffer()
  /// Whether the bench is stopping. Further commands are then only counted.
  var isGoingAway = false
  private var heartbeat: Heartbeat
  private var hasDelivered = false
  /// Whether the delegate knows the client.
  private var isKnown = false
  private var timer: Scheduled<Void>?
  private let lingering = Lingering()

  init(_ registry: ConnectionRegistry, _ address: String, _ heartbeat: Heartbeat) {
    self.registry = registry
    delegate = registry.delegate
    self.address = address
    self.heartbeat = heartbeat
    id = registry.nextID()
  }

  func added(_ context: ChannelHandlerContext) { self.context = context }

  /// Releases the connection, which has ended. The client has already left.
  func removed(_ connection: any Connection) {
    context = nil
    registry.closed(connection)
  }

  // MARK: The delegate

  func join(path: String) {
    isKnown = true
    registry.log.debug(
      "joined", metadata: ["from": "\(address)", "id": "\(id)", "path": "\(path)"])
  }

  /// Records that the client has left. Returns the departure to report to the delegate; nil if it
  /// was reported already, or if the delegate never knew the client.
  func leave(_ departure: Departure) -> Departure? {
    guard isKnown else { return nil }
    isKnown = false
    let departure = isGoingAway ? .dismissed(.goingAway) : departure
    registry.log.debug("left", metadata: ["id": "\(id)", "how": "\(departure)"])
    return departure
  }

  func deliver(_ bytes: [UInt8], as kind: MessageKind, from client: any Client) {
    hasDelivered = true
    delegate.received(bytes, as: kind, from: client)
  }

  /// Reports that all received bytes have been taken.
  func endBurst() {
    guard hasDelivered else { return }
    hasDelivered = false
    delegate.receivedAll()
  }

  // MARK: Reading and writing

  var isWritable: Bool { context?.channel.isWritable == true }

  /// `resume`: takes the held bytes, in a later turn of the loop. `tick`: as for `schedule`.
  func read(
    _ isReading: Bool, tick: @escaping () -> Void, resume: @escaping () -> Void
  ) {
    guard let context else { return }
    heartbeat.read(isReading, at: .uptime)
    schedule(tick)
    try? context.channel.syncOptions?.setOption(.autoRead, value: isReading)
    if isReading, held.readableBytes > 0 { registry.loop.execute(resume) }
  }

  /// Keeps received bytes until they are taken.
  func hold(_ bytes: inout ByteBuffer) {
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
  }

  /// Removes and returns the held bytes.
  func takeHeld() -> ByteBuffer {
    defer { held = ByteBuffer() }
    return held
  }

  /// Sends bytes. Returns false if so much is waiting for a client that does not read that it must
  /// be closed.
  func write(_ bytes: ByteBuffer) -> Bool {
    guard let context else { return true }
    if !context.channel.isWritable {
      let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      if waiting + bytes.readableBytes > registry.limits.outboundBytesMax { return false }
    }
    writeLast(bytes)
    return true
  }

  /// Sends bytes even above the limit of waiting bytes.
  func writeLast(_ bytes: ByteBuffer) {
    context?.writeAndFlush(NIOAny(bytes), promise: nil)
  }

  // MARK: Its end

  /// Sends and receives nothing more, and waits only for the end of the connection.
  func linger(cut: @escaping () -> Void) {
    timer?.cancel()
    guard let context else { return }
    lingering.begin(context, in: TimeAmount(registry.limits.closeTime), cut: cut)
  }

  /// Waits for the answer to a close frame.
  func awaitAnswer(cut: @escaping () -> Void) {
    timer?.cancel()
    try? context?.channel.syncOptions?.setOption(.autoRead, value: true)
    timer = registry.loop.scheduleTask(in: TimeAmount(registry.limits.closeTime), cut)
  }

  func cancelTimers() {
    timer?.cancel()
    lingering.end()
  }

  /// Logs an error of the connection. Returns whether it means that the other end no longer
  /// answers.
  func failed(_ error: any Error) -> Bool {
    registry.log.debug("connection failed", metadata: ["id": "\(id)", "why": "\(error)"])
    return (error as? IOError)?.errnoCode == Errno.timedOut.rawValue
  }

  // MARK: Time

  func hear() { heartbeat.hear(at: .uptime) }

  func tick() -> Heartbeat.Action { heartbeat.tick(at: .uptime) }

  /// Schedules the next call of `tick`.
  func schedule(_ tick: @escaping () -> Void) {
    timer?.cancel()
    guard heartbeat.due != .distantFuture else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(heartbeat.due.nanoseconds))
    timer = registry.loop.scheduleTask(deadline: deadline, tick)
  }
}
