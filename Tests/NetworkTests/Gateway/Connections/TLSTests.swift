#if TLS
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Network
  import NetworkTestSupport
  import Sketches
  import TestSupport
  import Testing

  @Suite(.ownThread, .serialized)
  struct TLSTests {
    /// A handshake can take long on a busy computer or in a checked build.
    private static func start(
      _ files: TLSFiles, requestTime: Interval = .seconds(60)
    ) throws -> TestServer {
      try TestServer { configuration, _ in
        configuration.tls = files
        configuration.limits.requestTime = requestTime
      }
    }

    /// Sends a request over TLS, and returns everything received until the end.
    private static func answer(
      _ server: TestServer, _ request: [UInt8],
      _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> String {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.certificateVerification = .none
      change(&configuration)
      let context = try NIOSSLContext(configuration: configuration)
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      defer { group.shutdownGracefully { _ in } }
      let done = group.next().makePromise(of: String.self)
      let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            try NIOSSLClientHandler(context: context, serverHostname: nil), Asker(request, done),
          ])
        }
      }
      bootstrap.connect(host: server.address.host, port: server.address.port).whenFailure {
        done.fail($0)
      }
      return try done.futureResult.wait()
    }

    private final class Asker: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      typealias OutboundOut = ByteBuffer

      private let request: [UInt8]
      private let done: EventLoopPromise<String>
      private var answer = ByteBuffer()

      init(_ request: [UInt8], _ done: EventLoopPromise<String>) {
        self.request = request
        self.done = done
      }

      func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: nil)
      }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answer.writeImmutableBuffer(unwrapInboundIn(data))
      }
      func channelInactive(context: ChannelHandlerContext) {
        done.succeed(String(decoding: answer.readableBytesView, as: UTF8.self))
      }
      func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
      }
    }

    @Test func `Pages and WebSockets work over TLS`() throws {
      try TestCertificate.inFiles { files in
        let server = try Self.start(files)
        let page = try Self.answer(server, Array("GET /health HTTP/1.1\r\nHost: pi\r\n\r\n".utf8))
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(page.hasSuffix("{\"ok\": true}"))
        let frames = ClientFrame.text("L") + ClientFrame.close(1000)
        let answer = try Self.answer(server, Array(Wire.handshake().utf8) + frames)
        #expect(answer.hasPrefix("HTTP/1.1 101 "))
        #expect(server.lines(4) == ["joined 1 websocket", "1 text L", "all", "left 1 closed"])
      }
    }

    @Test func `TLS before version 1_2 is refused`() throws {
      try TestCertificate.inFiles { files in
        let server = try Self.start(files)
        let answer = try Self.answer(server, Array("GET /health HTTP/1.1\r\nHost: pi\r\n\r\n".utf8))
        {
          $0.minimumTLSVersion = .tlsv1
          $0.maximumTLSVersion = .tlsv11
        }
        #expect(answer.isEmpty)
      }
    }

    /// The only cipher suite of a TLS 1.2 client, whether the server's key is RSA or EC, and
    /// whether the client is served.
    private static let suites: [(suite: NIOTLSCipher, isRSA: Bool, isServed: Bool)] = [
      (.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, true, true),
      (.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, true, true),
      (.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, true, true),
      (.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, false, true),
      (.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, false, true),
      (.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, false, true),
      // Without a separate key for each connection.
      (.TLS_RSA_WITH_AES_128_CBC_SHA, true, false), (.TLS_RSA_WITH_AES_256_CBC_SHA, true, false),
      (.TLS_RSA_WITH_AES_128_GCM_SHA256, true, false),
      (.TLS_RSA_WITH_AES_256_GCM_SHA384, true, false),
      // Encryption and authentication in separate steps.
      (.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, true, false),
      (.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA, true, false),
      (.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false, false),
      (.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, false, false),
    ]

    @Test func `In version 1_2 every suite has forward secrecy`() throws {
      for isRSA in [true, false] {
        let certificate = isRSA ? OtherCertificates.rsa : TestCertificate.certificate
        let key = isRSA ? OtherCertificates.rsaKey : TestCertificate.key
        try TestCertificate.inFiles(certificate: certificate, key: key) { files in
          let server = try Self.start(files)
          for (suite, needsRSA, isServed) in Self.suites where needsRSA == isRSA {
            let answer = try Self.answer(
              server, Array("GET /health HTTP/1.1\r\nHost: pi\r\n\r\n".utf8)
            ) {
              $0.maximumTLSVersion = .tlsv12
              $0.cipherSuiteValues = [suite]
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") == isServed, "suite \(suite.rawValue)")
            #expect(answer.isEmpty == !isServed, "suite \(suite.rawValue)")
          }
        }
      }
    }

    @Test func `An expired certificate is reported at the start and is served`() throws {
      try TestCertificate.inFiles(
        certificate: OtherCertificates.expired, key: OtherCertificates.expiredKey
      ) { files in
        let server = try Self.start(files)
        #expect(
          server.logged == [
            "warning: \(files.certificates): the certificate expired on "
              + "2020-01-01 00:00:00 UTC; clients refuse it, so replace it\n"
          ])
        let page = try Self.answer(server, Array("GET /health HTTP/1.1\r\nHost: pi\r\n\r\n".utf8))
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
      }
    }

    @Test func `A client that sends plain HTTP to TLS is told so`() throws {
      try TestCertificate.inFiles { files in
        let server = try Self.start(files)
        let wire = try Wire(server.address)
        wire.send(Wire.handshake())
        let answer = wire.receiveText()
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.hasSuffix("This port speaks TLS: use https:// or wss://.\n"))
        #expect(server.lines(1) == ["refused 400"])
      }
    }

    @Test(arguments: [[], [22], [22, 3, 1, 2, 0, 1, 0, 1]] as [[UInt8]])
    func `An unfinished TLS handshake is given up in time`(_ bytes: [UInt8]) throws {
      try TestCertificate.inFiles { files in
        let server = try Self.start(files, requestTime: .milliseconds(300))
        let wire = try Wire(server.address)
        wire.send(bytes)
        #expect(wire.receiveAll().isEmpty)
        #expect(server.lines(1) == ["refused 408"])
      }
    }

    @Test func `The error names a missing or invalid file`() throws {
      func failure(_ files: TLSFiles) -> NetworkError? {
        #expect(throws: NetworkError.self) { _ = try Self.start(files) }
      }
      try TestCertificate.inFiles { files in
        let missing = failure(TLSFiles(certificates: "/no/such/file", key: files.key))
        #expect(missing?.code == .noInput)
        #expect(missing?.description.hasPrefix("/no/such/file: ") == true)
        let swapped = failure(TLSFiles(certificates: files.key, key: files.certificates))
        #expect(swapped?.code == .malformed)
        #expect(swapped?.description.hasPrefix(files.key) == true)
        let noKey = failure(TLSFiles(certificates: files.certificates, key: files.certificates))
        #expect(noKey?.code == .malformed)
        #expect(noKey?.description.hasPrefix(files.certificates) == true)
      }
    }
  }
#endif
