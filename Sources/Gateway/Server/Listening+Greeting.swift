import NIOCore
import NIOHTTP1
import NIOPosix
import Networking

extension Listening {
  static func greet(
    _ channel: any Channel, _ reception: Reception, _ tls: TLSLayer?
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      var gate: TLSGate?
      if let tls {
        let first = TLSGate(reception)
        gate = first
        try pipeline.addHandler(first)
        try tls.serve(pipeline)
      }
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = reception.limits.requestBytesMax
      limits.maxHeaderListSize = reception.limits.requestBytesMax
      let decoder = HTTPRequestDecoder(
        leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
      try pipeline.addHandler(ByteToMessageHandler(decoder))
      try pipeline.addHandler(RequestHandler(reception, gate))
    }
  }

  static func greetTCP(_ channel: any Channel, _ reception: Reception) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      // The client cannot be pinged, so the kernel must detect that it is gone.
      for (option, value) in KeepAlive.options(reception.limits.pongTime) {
        let name = ChannelOptions.socket(.init(option.level), .init(option.name))
        try channel.syncOptions?.setOption(name, value: value)
      }
      let address = channel.remoteAddress?.endpoint ?? "?"
      try channel.pipeline.syncOperations.addHandler(TCPClient(reception, address))
    }
  }
}
