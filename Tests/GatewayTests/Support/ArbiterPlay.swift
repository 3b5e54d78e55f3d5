import Platform
import TestSupport
import Turret
import TurretProtocol

@testable import Gateway

/// Clients that come, go and send anything, and a board that is there at times, at random; and what
/// must be so whatever they do.
struct ArbiterPlay {
  private static let pieces = [
    "X90.", "X7.", "X180.", "X45.\r\n", "L", "L", "T", "O", "?", "LX3.L", "X1.X2.X3.", "TTTTTTTT",
    "X", "X1", "9", "20.", ".", "Z", "X181.", "X1000.", "\u{0}\u{FF}", "x90.", " ", "\n",
  ]
  private static let boot = Interval.milliseconds(20)

  private let stand: ArbiterStand
  private let control: ControlPolicy
  private let action: Command?
  private var random: SeededGenerator
  private let byteTime = ByteClock.byteTime(baud: 9_600)

  /// Those who are there, in the order they came, each with what the runner should make of its bytes.
  private var clients: [(client: RecordingClient, mirror: ClientState)] = []
  private var lastID = 0
  private var boardReady: HostTime?
  /// What may still come out, and whose it is; nil: the runner's own.
  private var pool: [(command: Command, from: ClientID?)] = []
  /// What the turret is to do, and whose word that is.
  private var word: (command: Command, from: ClientID?)?
  /// The last word that came out.
  private var carried: (command: Command, from: ClientID?)?
  /// The last aim that waits, and until when it may.
  private var aim: (text: String, due: HostTime)?
  private var accepted = 0

  private(set) var flaws: [String] = []
  private(set) var sentCount = 0
  private(set) var aimCount = 0

  init(seed: UInt64, control: ControlPolicy, onDisconnect: DisconnectAction) {
    stand = ArbiterStand(control: control, onDisconnect: onDisconnect)
    self.control = control
    action = onDisconnect.command
    random = SeededGenerator(seed: seed)
    boardReady = stand.now
  }

  private var controller: ClientID? {
    (control == .first ? clients.first : clients.last)?.client.id
  }

  /// One thing happens, and a little time goes by.
  mutating func act() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<6: join()
    case 6..<10: leave()
    case 10..<(boardReady == nil ? 20 : 12): boardChanges()
    default: for _ in 0..<Int.random(in: 1...4, using: &random) { send() }
    }
    if Bool.random(using: &random) { pass(.microseconds(.random(in: 0...4_000, using: &random))) }
    checkCounts()
  }

  /// All comes to rest, and the last word arrives.
  mutating func settle() {
    if boardReady == nil { boardChanges() }
    if clients.isEmpty { join() }
    pass(.milliseconds(400))
    let id = controller
    guard let index = clients.firstIndex(where: { $0.client.id == id }) else { return }
    send("X123.", from: index)
    pass(.milliseconds(10))
    if aim != nil { flaws.append("the last aim did not arrive") }
    checkCounts()
    if stand.runner.counts.queueLength != 0 { flaws.append("something waits for ever") }
  }

  // MARK: What happens

  private mutating func join() {
    guard clients.count < 4 else { return }
    lastID += 1
    let old = controller
    let client = stand.join(lastID)
    let mirror = ClientState(.webSocket, parser: CommandParser(for: .guarded))
    clients.append((client, mirror))
    guard let old, control == .latest else { return }
    // Nothing of the one who was displaced comes any more.
    pool.removeAll { $0.from == old }
    aim = nil
    if word?.from == old { word = nil }
  }

  private mutating func leave() {
    guard let index = clients.indices.randomElement(using: &random) else { return }
    let client = clients[index].client
    let wasInControl = controller == client.id
    clients.remove(at: index)
    stand.runner.left(client, .closed)
    if wasInControl, let action { ownWord(action) }
  }

  private mutating func boardChanges() {
    if boardReady != nil {
      boardReady = nil
      let waited = stand.runner.counts.queueLength
      stand.runner.boardIsGone()
      pool = []
      aim = nil
      if stand.runner.counts.queueLength != 0 { flaws.append("\(waited) wait for no board") }
    } else {
      boardReady = stand.now + Self.boot
      stand.runner.boardIsBack(bootTime: Self.boot)
      // Of one who was displaced, only what the turret has done already counts.
      if controller != nil, let word = word ?? carried { pool.append((word.command, nil)) }
    }
  }

  private mutating func ownWord(_ command: Command) {
    word = (command, nil)
    aim = nil
    if boardReady != nil { pool.append((command, nil)) }
  }

  private mutating func send() {
    let id =
      Bool.random(using: &random) ? controller : clients.randomElement(using: &random)?.client.id
    guard let index = clients.firstIndex(where: { $0.client.id == id }) else { return }
    send(Self.pieces.randomElement(using: &random)!, from: index)
  }

  private mutating func send(_ text: String, from index: Int) {
    let id = clients[index].client.id
    if let due = clients[index].mirror.numberDeadline, due <= stand.now {
      _ = clients[index].mirror.finishOverdue(at: stand.now)
    }
    var waiting = stand.runner.counts.queueLength
    for parsed in clients[index].mirror.take(Array(text.utf8), at: stand.now) {
      guard case .command(let command) = parsed else { continue }
      accepted += 1
      guard id == controller else { continue }
      if command.isLasting { word = (command, id) }
      guard let boardReady else { continue }
      pool.append((command, id))
      if case .aim = command {
        aimCount += 1
        // Behind what is on the line, of 5 bytes at most, and the others that wait, of one each.
        let bytes = Int64(5 + min(waiting, CommandQueue.countMax))
        let wait = Interval.nanoseconds(bytes * byteTime.nanoseconds) + .microseconds(200)
        aim = (String(decoding: command.bytes, as: UTF8.self), max(stand.now, boardReady) + wait)
      }
      waiting += 1
    }
    stand.send(text, from: clients[index].client)
  }

  // MARK: Time

  private mutating func pass(_ interval: Interval) {
    let end = stand.now + interval
    takeAll()
    while stand.now < end {
      let next = min(end, stand.runner.nextDeadline ?? end)
      stand.pass(max(next - stand.now, .microseconds(1)))
      takeAll()
    }
  }

  private mutating func takeAll() {
    while let text = stand.step() { check(text) }
    if let aim, aim.due < stand.now {
      flaws.append("\(aim.text) has waited for too long")
      self.aim = nil
    }
  }

  // MARK: What must be so

  private mutating func check(_ text: String) {
    sentCount += 1
    guard let boardReady, boardReady <= stand.now else {
      flaws.append("\(text) went to no board")
      return
    }
    var parser = CommandParser(for: .guarded)
    let parsed = parser.take(Array(text.utf8))
    guard parsed.count == 1, case .command(let command) = parsed[0], !parser.isOpen else {
      flaws.append("\(text) is not one whole command")
      return
    }
    if let index = pool.firstIndex(where: { $0.command == command }) {
      let entry = pool.remove(at: index)
      if command.isLasting { carried = entry }
    } else {
      flaws.append("\(text) came from nobody in control")
    }
    if aim?.text == text { aim = nil }
  }

  private mutating func checkCounts() {
    let counts = stand.runner.counts
    let refused = [.notInControl, .queueFull, .noBoard].reduce(0) {
      $0 + counts.refused[$1, default: 0]
    }
    let ends =
      counts.sent + counts.replaced + counts.merged + refused
      + counts.dropped.values.reduce(0, +) + counts.queueLength
    if accepted + counts.own != ends { flaws.append("\(accepted) + \(counts.own) became \(ends)") }
    if counts.accepted.values.reduce(0, +) != accepted { flaws.append("not all were accepted") }
    if counts.sent != sentCount {
      flaws.append("\(counts.sent) are not the \(sentCount) that came")
    }
    if counts.queueLength > CommandQueue.countMax + 1 { flaws.append("the queue is too long") }
  }
}
