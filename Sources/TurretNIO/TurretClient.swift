public import Aim
import NIOCore
import NIOPosix
import Network
import Sketches
public import TurretLink

/// A connection to the gateway for programs, with SwiftNIO. It carries out what its `TurretLink`
/// decides, on an event loop of its own choice. Can be used from any thread.
///
///     let client = try TurretClient(to: "ws://127.0.0.1:12354/") { print($0.connection) }
///     client.start()
///     client.send(.aim(90))    // sent once it is connected
///     ...
///     await client.stop()
public final class TurretClient: Sendable {
  /// What is wrong with an address or a token, as a sentence.
  public struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The command line's message begins with `error: `; an app shows it under its own heading.
    fileprivate init(_ error: NetworkError) {
      let prefix = "error: "
      let text = error.description
      description = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
  }

  private let loop: any EventLoop
  private let life: NIOLoopBoundBox<TurretLife?>

  /// - Parameters:
  ///   - address: `ws://HOST:PORT/`, `wss://HOST:PORT/` or `tcp://HOST:PORT`.
  ///   - token: what the gateway requires of its clients, if it does.
  ///   - settings: the limits of rate and time.
  ///   - show: is called with each change of the status, on the event loop.
  /// - Throws: `AddressError`.
  public init(
    to address: String, token: String? = nil,
    settings: TurretLink.Settings = TurretLink.Settings(),
    show: @escaping @Sendable (TurretLink.Status) -> Void
  ) throws {
    loop = MultiThreadedEventLoopGroup.singleton.next()
    var kept = SenderSettings()
    kept.connectTime = max(.milliseconds(1), Instant(seconds: settings.connectTime) - .zero)
    let target: SenderTarget
    let tls: TLSLayer?
    do throws(NetworkError) {
      target = try Self.target(address, token)
      tls = try target.layer(closeTime: kept.stopTime)
    } catch {
      throw AddressError(error)
    }
    life = .makeEmptyBox(valueType: TurretLife.self, eventLoop: loop)
    onLoop { [kept, loop, life] in
      life.value = TurretLife(
        on: TargetLink(to: target, kept, tls, on: loop), stopTime: kept.stopTime, settings, loop,
        show: show)
    }
  }

  /// Connects, and stays connected until `stop`.
  public func start() { handle(.start) }

  public func send(_ command: TurretCommand) { handle(.send(LinkCommand(command))) }

  /// Sends the command that waits because of the rate, and closes. Commands that wait for a
  /// connection are dropped. Returns when no connection is left, or when it is started again.
  public func stop() async {
    try? await loop.flatSubmit { [life] in
      life.value!.handle(.stop)
      return life.value!.ended()
    }.get()
  }

  private static func target(
    _ address: String, _ text: String?
  ) throws(NetworkError) -> SenderTarget {
    var target = try SenderTarget(address)
    guard let text else { return target }
    guard let token = try? Token(text.utf8) else {
      throw NetworkError(
        .usage,
        "error: a token is \(Token.lengthMin) to \(Token.lengthMax) printable ASCII characters "
          + "without spaces")
    }
    try target.present(token)
    return target
  }

  private func handle(_ event: TurretLink.Event) {
    onLoop { [life] in life.value?.handle(event) }
  }

  private func onLoop(_ work: @escaping @Sendable () -> Void) {
    if loop.inEventLoop { work() } else { loop.execute(work) }
  }
}
