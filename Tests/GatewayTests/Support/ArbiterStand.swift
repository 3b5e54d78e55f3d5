import Gateway
import Logging
import NIOEmbedded
import Networking
import Platform
import Turret

/// An arbiter and its runner in virtual time, with a line that carries their output.
final class ArbiterStand {
  /// Begins now, and advances only when it is set.
  private final class Clock { var time = HostTime.now }

  private let clock: Clock
  let loop = EmbeddedEventLoop()
  let runner: ArbiterRunner
  private let byteTime: Interval
  /// When the line will have carried everything sent.
  private var lineFree: HostTime

  init(
    _ firmware: Firmware = .guarded, profile: Profile? = nil, raw: Bool = false,
    control: ControlPolicy = .first,
    onDisconnect: DisconnectAction = .hold
  ) {
    let clock = Clock()
    var plan = ArbiterSettings(firmware: firmware, baud: 9_600)
    plan.profile = profile
    plan.isRaw = raw
    plan.control = control
    plan.onDisconnect = onDisconnect
    self.clock = clock
    lineFree = clock.time
    byteTime = ByteClock.byteTime(baud: plan.baud)
    runner = ArbiterRunner(
      plan, watchers: Broadcaster(on: loop),
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { clock.time })
  }

  var now: HostTime { clock.time }

  func join(_ number: Int, _ transport: Transport = .webSocket) -> RecordingClient {
    let client = RecordingClient(number, transport)
    runner.joined(client)
    return client
  }

  func send(_ text: String, from client: RecordingClient, as kind: MessageKind = .text) {
    runner.received(Array(text.utf8), as: kind, from: client)
    runner.receivedAll()
  }

  /// Lets time pass without doing anything.
  func wait(_ interval: Interval) { clock.time = clock.time + interval }

  /// Lets time pass, and does what is due.
  func pass(_ interval: Interval) {
    wait(interval)
    runner.expire()
  }

  /// The bytes sent over the line now, if it is free. The line is then busy for as long as they
  /// take.
  func step(room: Int = 4_096) -> String? {
    let waiting = (lineFree - now).nanoseconds
    let count = max(0, (waiting + byteTime.nanoseconds - 1) / byteTime.nanoseconds)
    guard let bytes = runner.next(waitingCount: Int(count), room: room) else { return nil }
    lineFree = max(lineFree, now) + .nanoseconds(Int64(bytes.count) * byteTime.nanoseconds)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Everything that waits, in the order and the pieces in which it is sent. The line is always
  /// free.
  func drain() -> [String] {
    var out: [String] = []
    while let bytes = runner.next(waitingCount: 0, room: 4_096) {
      out.append(String(decoding: bytes, as: UTF8.self))
    }
    return out
  }

  /// The value on the line of `/metrics` that begins with this name.
  func metric(_ name: String) -> String? {
    runner.metrics().split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .map { String($0.dropFirst(name.count + 1)) }
  }
}
