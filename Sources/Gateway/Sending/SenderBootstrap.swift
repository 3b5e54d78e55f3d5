import NIOCore
import NIOPosix

/// Makes the connections to a target.
enum SenderBootstrap {
  /// What the kernel holds of commands on their way, in bytes; it takes twice that. Left to itself it would
  /// hold minutes of them for a target that does not read.
  private static let kernelBufferBytes = 4_096
  /// One frame that the kernel did not take is enough: what comes then waits where a newer one can replace it.
  private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 4)

  static func connect(
    to target: SenderTarget, _ settings: SenderSettings, _ tls: TLSLayer?,
    on loop: any EventLoop
  ) -> EventLoopFuture<any Channel> {
    ClientBootstrap(group: loop)
      .connectTimeout(.init(settings.connectTime))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.socketOption(.so_sndbuf), value: kernelBufferBytes)
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
            SendingHandler(target, messageBytesMax: settings.messageBytesMax))
        }
      }
      .connect(host: target.endpoint.host, port: target.endpoint.port)
  }
}
