import NIOCore
import NIOHTTP1
import NIOPosix
import Sketches

extension Listening {
  static func greet(
    _ channel: any Channel, _ registry: ConnectionRegistry, _ tls: TLSLayer?
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      var gate: TLSGate?
      if let tls {
        let first = TLSGate(registry)
        gate = first
        try pipeline.addHandler(first)
        try tls.serve(pipeline)
      }
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = registry.limits.requestBytesMax
      limits.maxHeaderListSize = registry.limits.requestBytesMax
      let decoder = HTTPRequestDecoder(
        leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
      try pipeline.addHandler(ByteToMessageHandler(decoder))
      try pipeline.addHandler(RequestHandler(registry, gate))
    }
  }

  /// Makes the kernel detect that the other end's computer is gone, about as fast as by pings:
  /// while a client is not read, one period can pass before anything is sent to it.
  static func keepAlive(_ channel: any Channel, _ limits: Limits) throws {
    let time = max(limits.pongTime - limits.pingPeriod, limits.pingPeriod)
    for (option, value) in KeepAlive.options(time) {
      let name = ChannelOptions.socket(.init(option.level), .init(option.name))
      try channel.syncOptions?.setOption(name, value: value)
    }
  }

  static func greetTCP(_ channel: any Channel, _ registry: ConnectionRegistry) -> EventLoopFuture<
    Void
  > {
    channel.eventLoop.makeCompletedFuture {
      // The client cannot be pinged, so the kernel must detect that it is gone.
      try keepAlive(channel, registry.limits)
      let address = channel.remoteAddress?.endpoint ?? "?"
      try channel.pipeline.syncOperations.addHandler(TCPConnection(registry, address))
    }
  }
}
