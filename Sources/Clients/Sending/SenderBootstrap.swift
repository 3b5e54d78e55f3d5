import NIOCore
import NIOPosix
import Networking

/// Makes connections to a target.
enum SenderBootstrap {
  /// At most one frame that the kernel did not accept is buffered, so that later commands wait
  /// where a newer one can replace them.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 4)

  static func connect(
    to target: SenderTarget, _ settings: SenderSettings, _ tls: TLSLayer?,
    on loop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    var bootstrap = ClientBootstrap(group: loop)
    if let bytes = settings.kernelBufferBytes {
      bootstrap = bootstrap.channelOption(.socketOption(.so_sndbuf), value: bytes)
    }
    return
      bootstrap
      .connectTimeout(.init(settings.connectTime))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.writeBufferWaterMark, value: waterMark)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          for (option, value) in KeepAlive.options(settings.silenceTime) {
            let name = ChannelOptions.socket(.init(option.level), .init(option.name))
            try channel.syncOptions?.setOption(name, value: value)
          }
          let pipeline = channel.pipeline.syncOperations
          try tls?.connect(pipeline, to: target.endpoint.host)
          try pipeline.addHandler(
            SendingHandler(target, settings))
        }
      }
      .connect(host: target.endpoint.host, port: target.endpoint.port)
  }
}
