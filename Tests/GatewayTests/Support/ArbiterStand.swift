import Gateway
import Logging
import NIOEmbedded
import Networking
import Platform
import Turret

/// An arbiter and its runner in virtual time, with a line that carries their output.
final class ArbiterStand {
  /// Begins now, and goes on when it is told to.
  private final class Clock { var time = HostTime.now }

  private let clock: Clock
  let loop = EmbeddedEventLoop()
  let runner: ArbiterRunner
  private let byteTime: Interval
  /// When the line has carried all that came out.
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

  /// Time goes by, and nothing is done.
  func wait(_ interval: Interval) { clock.time = clock.time + interval }

  /// Time goes by; what is due by itself is done.
  func pass(_ interval: Interval) {
    wait(interval)
    runner.expire()
  }

  /// What goes down the line now, if it is free; it is busy then for as long as that takes.
  func step(room: Int = 4_096) -> String? {
    let waiting = (lineFree - now).nanoseconds
    let count = max(0, (waiting + byteTime.nanoseconds - 1) / byteTime.nanoseconds)
    guard let bytes = runner.next(waitingCount: Int(count), room: room) else { return nil }
    lineFree = max(lineFree, now) + .nanoseconds(Int64(bytes.count) * byteTime.nanoseconds)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All that waits, in order, each as it came out. The line is always free.
  func drain() -> [String] {
    var out: [String] = []
    while let bytes = runner.next(waitingCount: 0, room: 4_096) {
      out.append(String(decoding: bytes, as: UTF8.self))
    }
    return out
  }

  /// The figure on the line of `/metrics` that begins so.
  func metric(_ name: String) -> String? {
    runner.metrics().split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .map { String($0.dropFirst(name.count + 1)) }
  }
}
