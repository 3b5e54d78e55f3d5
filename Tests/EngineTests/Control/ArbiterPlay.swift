import Sketches
import TestSupport

@testable import Engine

/// Clients that join, leave and send anything at random, a board that is connected at times, and
/// the checks that must hold whatever they do.
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

  /// The connected clients in the order in which they joined, each with a parser that should find
  /// the same commands as the runner.
  private var clients: [(client: ArbiterStand.Client, mirror: ClientState)] = []
  private var lastID = 0
  private var boardReady: Instant?
  /// The commands that may still be sent, and their clients; nil for the runner's own.
  private var pool: [(command: Command, from: ClientID?)] = []
  /// The last command that determines what the turret does, and its client.
  private var word: (command: Command, from: ClientID?)?
  /// The last such command that was sent.
  private var carried: (command: Command, from: ClientID?)?
  /// The last aim that waits, and when it must have been sent.
  private var aim: (text: String, due: Instant)?
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

  /// Performs one random action, and lets a little time pass.
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

  /// Lets everything come to rest, and checks that the last aim arrives.
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
    if stand.counts.queueLength != 0 { flaws.append("something waits for ever") }
  }

  // MARK: Actions

  private mutating func join() {
    guard clients.count < 4 else { return }
    lastID += 1
    let old = controller
    let client = stand.join(lastID)
    let mirror = ClientState(.webSocket, parser: CommandParser(for: .guarded))
    clients.append((client, mirror))
    guard let old, control == .latest else { return }
    // No more commands of the client that lost control are sent.
    pool.removeAll { $0.from == old }
    aim = nil
    if word?.from == old { word = nil }
  }

  private mutating func leave() {
    guard let index = clients.indices.randomElement(using: &random) else { return }
    let client = clients[index].client
    let wasInControl = controller == client.id
    clients.remove(at: index)
    stand.left(client)
    if wasInControl, let action { ownWord(action) }
  }

  private mutating func boardChanges() {
    if boardReady != nil {
      boardReady = nil
      let waited = stand.counts.queueLength
      stand.boardIsGone()
      pool = []
      aim = nil
      if stand.counts.queueLength != 0 { flaws.append("\(waited) wait for no board") }
    } else {
      boardReady = stand.now + Self.boot
      stand.boardIsBack(bootTime: Self.boot)
      // Of a client that lost control, only commands that were already sent count.
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
    var waiting = stand.counts.queueLength
    for parsed in clients[index].mirror.take(Array(text.utf8), at: stand.now) {
      guard case .command(let command) = parsed else { continue }
      accepted += 1
      guard id == controller else { continue }
      if command.isLasting { word = (command, id) }
      guard let boardReady else { continue }
      pool.append((command, id))
      if case .aim = command {
        aimCount += 1
        // After the bytes on the line, at most 5, and the other waiting commands, one byte each.
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
      let next = min(end, stand.nextDeadline ?? end)
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

  // MARK: Checks

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
    let counts = stand.counts
    let refused = [.notInControl, .queueFull, .noBoard].reduce(0) {
      $0 + counts.refused[$1, default: 0]
    }
    let ends =
      counts.sent + counts.queue.replaced + counts.queue.merged + refused
      + counts.dropped.values.reduce(0, +) + counts.queueLength
    if accepted + counts.own != ends { flaws.append("\(accepted) + \(counts.own) became \(ends)") }
    if counts.accepted.values.reduce(0, +) != accepted { flaws.append("not all were accepted") }
    if counts.sent != sentCount {
      flaws.append("\(counts.sent) are not the \(sentCount) that came")
    }
    if counts.queueLength > CommandQueue.countMax + 1 { flaws.append("the queue is too long") }
  }
}
