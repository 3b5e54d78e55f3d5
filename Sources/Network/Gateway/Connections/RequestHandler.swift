import Logging
import NIOCore
import NIOHTTP1
import NIOTLS
import NIOWebSocket

/// Handles one HTTP request: answers it, or turns its connection into a WebSocket.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler, Connection {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  private enum State {
    case waiting
    /// The head is valid. The handshake is answered when the request is complete.
    case accepted(HTTPRequestHead, RequestVerdict.Role)
    /// The camera's first picture is the answer.
    case awaitsPicture(HTTPRequestHead)
    /// The request has been answered or abandoned.
    case done
  }

  /// How much of a session's trace is sent at once, in bytes: as much as can wait for a client that
  /// counts as reading.
  private static let partBytesMax = 65_536

  private let registry: ConnectionRegistry
  private let gate: TLSGate?
  private var state = State.waiting
  private var context: ChannelHandlerContext?
  private var deadline: Scheduled<Void>?
  private let lingering = Lingering()
  /// The rest of a session's trace, which is sent as the client reads it; nil for other answers.
  private var rest: ByteBuffer?
  private var isDownload = false
  /// Whether the TLS handshake is complete.
  private var isSecure = false
  private lazy var address = context?.channel.remoteAddress?.endpoint ?? "?"

  init(_ registry: ConnectionRegistry, _ gate: TLSGate?) {
    self.registry = registry
    self.gate = gate
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    registry.opened(self, as: .request, from: Peer(context.remoteAddress))
    deadline = registry.loop.scheduleTask(in: TimeAmount(registry.limits.requestTime)) {
      [weak self] in self?.timeOut()
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
    lingering.end()
    if isDownload { registry.downloads.end() }
    registry.configuration.camera?.forget(self)
    self.context = nil
    registry.closed(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (state, unwrapInboundIn(data)) {
    case (.waiting, .head(let head)): judge(head.trimmed)
    case (.accepted(let head, let role), .end): upgrade(context, head, role)
    case (.waiting, _), (.accepted, _), (.awaitsPicture, _), (.done, _): break
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    sendRest()
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted = event as? TLSUserEvent { isSecure = true }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch (state, error) {
    case (.done, _): break
    case (_, HTTPParserError.headerOverflow):
      let limit = registry.limits.requestBytesMax
      answer(HTTPReply(431, "A request can have at most \(limit) bytes.\n"), nil, "too long")
    case (_, is HTTPParserError): answer(HTTPReply(400, "This is not HTTP.\n"), nil, "\(error)")
    default:
      // The connection or its TLS failed, so no answer is possible.
      registry.log.debug("connection failed", metadata: ["from": "\(address)", "why": "\(error)"])
      state = .done
      cut()
    }
  }

  func shutDown() { if !lingering.isOn { cut() } }

  func cut() { if let gate { gate.cut() } else { context?.close(promise: nil) } }

  func displace() {
    switch state {
    case .waiting where gate?.isRefusing == true, .done: break
    case .waiting, .accepted, .awaitsPicture:
      state = .done
      registry.refuse(
        503, address, nil, "its request was incomplete when newer connections needed its place")
    }
    cut()
  }

  private func judge(_ head: HTTPRequestHead) {
    if let reply = RequestVerdict.flaw(of: head) { return answer(reply, head, reply.sentence) }
    let configuration = registry.configuration
    let page = configuration.pages.answer(to: head)
    let refusal = page == nil ? configuration.authorize(head) : configuration.authorizePage(head)
    if let refusal {
      var reply = HTTPReply(refusal.status, refusal.message + "\n")
      if refusal.status == 401 { reply.fields = ["WWW-Authenticate": AccessVerdict.challenge] }
      return answer(reply, head, refusal.message)
    }
    if let page { return answer(page, head, page.status < 400 ? nil : page.sentence) }
    let camera = configuration.camera
    let verdict = RequestVerdict(
      head, hasDetector: configuration.detector != nil, hasCamera: camera != nil)
    switch verdict {
    case .upgrade(let role):
      if let refusal = registry.refusal(from: Peer(context?.remoteAddress)) {
        return answer(HTTPReply(503, "\(refusal)\n"), head, refusal)
      }
      state = .accepted(head, role)
    case .health:
      let health = registry.delegate.health()
      let status = health.isWell ? 200 : 503
      answer(HTTPReply(status, health.json, contentType: "application/json"), head)
    case .metrics:
      let type = GatewayMetrics.contentType
      answer(HTTPReply(200, registry.delegate.metrics(), contentType: type), head)
    case .session: answerSession(head)
    case .camera: if let camera { answerCamera(camera, head) }
    case .picture: if let camera { answerPicture(camera, head) }
    case .refuse(let reply): answer(reply, head, reply.sentence)
    }
  }

  private func answerCamera(_ camera: CameraPictures, _ head: HTTPRequestHead) {
    guard head.method != .HEAD else {
      let reply = HTTPReply(200, "", contentType: CameraPicture.contentType)
      return finish(with: reply.head(length: nil))
    }
    let isFull = camera.readersCount >= CameraPictures.readersMax
    if let refusal = registry.refusal(from: Peer(context?.remoteAddress))
      ?? (isFull ? "too many programs are reading the camera" : nil)
    {
      return answer(.busy(refusal), head, refusal)
    }
    become(CameraConnection(camera, registry, gate))
  }

  private func answerPicture(_ camera: CameraPictures, _ head: HTTPRequestHead) {
    state = .awaitsPicture(head)
    camera.read(by: self) { [weak self] picture in
      var reply = HTTPReply(200, "", contentType: "image/jpeg")
      reply.content = picture.jpeg
      for (name, value) in picture.fields { reply.fields.add(name: name, value: value) }
      self?.answer(reply, head)
    }
  }

  private func answerSession(_ head: HTTPRequestHead) {
    guard let trace = registry.delegate.session() else {
      let reply = HTTPReply(404, "This session is not kept.\n")
      return answer(reply, head, reply.sentence)
    }
    isDownload = registry.downloads.begin(trace) { [weak self] in
      self?.sendSession($0, isHead: head.method == .HEAD)
    }
    guard isDownload else {
      let reply = HTTPReply.busy("Too many clients are saving the session: try again.")
      return answer(reply, head, reply.sentence)
    }
    state = .done
    deadline?.cancel()
    registry.answered(self)
  }

  private func sendSession(_ trace: ByteBuffer, isHead: Bool) {
    guard let context else { return }
    let reply = HTTPReply(
      200, "", contentType: "application/x-ndjson",
      fields: [
        "Content-Disposition": "attachment; filename=\"session.jsonl\"",
        "X-Content-Type-Options": "nosniff",
      ])
    context.writeAndFlush(wrapOutboundOut(reply.head(length: trace.readableBytes)), promise: nil)
    rest = isHead ? ByteBuffer() : trace
    sendRest()
  }

  /// Sends as much of the trace as the client reads. A client that reads too slowly is closed.
  private func sendRest() {
    guard let context, rest != nil, context.channel.isWritable else { return }
    // Writing can call this again before it returns.
    while context.channel.isWritable, let part = takePart() {
      context.writeAndFlush(wrapOutboundOut(part), promise: nil)
    }
    guard let left = rest?.readableBytes else { return }
    // As much can wait for the client, and another part.
    let time = TimeAmount(registry.limits.time(toSend: 2 * Self.partBytesMax))
    deadline?.cancel()
    if left == 0 {
      rest = nil
      lingering.begin(context, in: time) { [weak self] in self?.cut() }
    } else {
      deadline = registry.loop.scheduleTask(in: time) { [weak self] in self?.cut() }
    }
  }

  private func takePart() -> ByteBuffer? {
    let count = min(Self.partBytesMax, rest?.readableBytes ?? 0)
    return count > 0 ? rest?.readSlice(length: count) : nil
  }

  /// - Parameter why: the reason for the log; nil if the answer is not a refusal.
  private func answer(_ reply: HTTPReply, _ head: HTTPRequestHead?, _ why: String? = nil) {
    guard context != nil else { return }
    if let why {
      let target = head.flatMap { RequestTarget($0.uri) }
      registry.refuse(reply.status, address, target?.description, why)
    }
    finish(with: reply.bytes(isHead: head?.method == .HEAD))
  }

  /// Sends a whole answer, and closes the connection.
  private func finish(with bytes: ByteBuffer) {
    guard let context else { return }
    state = .done
    deadline?.cancel()
    registry.answered(self)
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    let time = registry.limits.time(toSend: bytes.readableBytes)
    lingering.begin(context, in: TimeAmount(time)) { [weak self] in self?.cut() }
  }

  private func timeOut() {
    if case .done = state { return }
    if case .awaitsPicture(let head) = state {
      let reply = HTTPReply.busy("There is no picture yet.")
      return answer(reply, head, reply.sentence)
    }
    if gate?.isRefusing == true { return }
    // Before the end of the TLS handshake, no answer is possible.
    guard gate == nil || isSecure else {
      registry.refuse(408, address, nil, "no TLS handshake in time")
      state = .done
      return cut()
    }
    answer(HTTPReply(408, "The request was not complete in time.\n"), nil, "not complete in time")
  }

  private func upgrade(
    _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ role: RequestVerdict.Role
  ) {
    let response = registry.upgrader.buildUpgradeResponse(
      channel: context.channel, upgradeRequest: head, initialResponseHeaders: [:])
    response.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let headers):
        self.become(role, context, headers, named: ClientName.of(head.uri))
      case .failure(let error):
        self.answer(HTTPReply(400, "Invalid handshake.\n"), head, "\(error)")
      }
    }
  }

  private func become(
    _ role: RequestVerdict.Role, _ context: ChannelHandlerContext, _ headers: HTTPHeaders,
    named name: String?
  ) {
    state = .done
    var text = "HTTP/1.1 101 Switching Protocols\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\r\n")), promise: nil)
    become(WebSocketConnection(role, registry, gate, address, named: name))
  }

  /// Gives the connection to another handler.
  private func become(_ connection: some ChannelHandler) {
    guard let context else { return }
    state = .done
    deadline?.cancel()
    let pipeline = context.pipeline.syncOperations
    do {
      let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(connection, position: .after(self))
      pipeline.removeHandler(context: context, promise: nil)
      // Passes data after the request to the new connection.
      pipeline.removeHandler(context: decoder, promise: nil)
    } catch {
      cut()
    }
  }
}

/// The downloads of `/session.jsonl`. The text of a long session is large and takes a while to
/// make, so it is made on another thread, downloads that begin within a second share one copy, and
/// their number is limited. Used only on the event loop.
final class SessionDownloads {
  /// How many downloads there can be at once.
  static let countMax = 4
  /// How long a text that is still being downloaded is given to others, too.
  private static let freshTime = TimeAmount.seconds(1)

  private let loop: NIOIsolatedEventLoop
  private var count = 0
  private var text: (bytes: ByteBuffer, until: NIODeadline)?
  /// The downloads that wait for the text; empty if none is being made.
  private var waiting: [(ByteBuffer) -> Void] = []

  init(on loop: NIOIsolatedEventLoop) { self.loop = loop }

  /// Begins a download, which must be ended by `end`. Returns false if there are too many.
  ///
  /// - Parameters:
  ///   - make: makes the text, on another thread.
  ///   - send: called with the text, perhaps later.
  func begin(
    _ make: @escaping @Sendable () -> [UInt8], then send: @escaping (ByteBuffer) -> Void
  ) -> Bool {
    guard count < Self.countMax else { return false }
    count += 1
    if let text, text.until > .now() {
      send(text.bytes)
      return true
    }
    waiting.append(send)
    guard waiting.count == 1 else { return true }
    let made = loop.nonisolated().makePromise(of: ByteBuffer.self)
    made.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.pass($0) }
    BlockingThread.run {
      made.succeed(ByteBuffer(bytes: make()))
    }
    return true
  }

  /// Ends a download.
  func end() {
    count -= 1
    if count == 0 { text = nil }
  }

  private func pass(_ bytes: ByteBuffer) {
    let senders = waiting
    waiting = []
    // All of them may have left meanwhile.
    if count > 0 { text = (bytes, .now() + Self.freshTime) }
    for send in senders { send(bytes) }
  }
}
