import Bench
import Turret

/// Those who may send commands, and what they were told.
struct Senders {
  private let firmware: Firmware
  private var all: [ClientID: Sender] = [:]

  init(for firmware: Firmware) { self.firmware = firmware }

  var count: Int { all.count }
  /// When a number that one of them has begun must be finished; nil: none has.
  var deadline: HostTime? { all.values.compactMap(\.numberDeadline).min() }

  func contains(_ id: ClientID) -> Bool { all[id] != nil }
  subscript(_ id: ClientID) -> Sender? { all[id] }

  mutating func add(_ client: any Client) {
    all[client.id] = Sender(client: client, parser: CommandParser(for: firmware))
  }

  mutating func remove(_ id: ClientID) { all[id] = nil }

  /// What a message of one of them turns out to be.
  mutating func take(_ bytes: [UInt8], from id: ClientID, at time: HostTime) -> [Parsed] {
    all[id]?.take(bytes, at: time) ?? []
  }

  /// The number that it has begun comes to nothing.
  mutating func finishNumber(of id: ClientID) -> Refusal? { all[id]?.finishNumber() }

  /// The numbers that were not finished in time.
  mutating func finishOverdue(at time: HostTime) -> [(ClientID, Refusal)] {
    guard let deadline, deadline <= time else { return [] }
    let overdue = all.filter { $0.value.numberDeadline.map { $0 <= time } ?? false }.keys.sorted()
    return overdue.compactMap { id in finishNumber(of: id).map { (id, $0) } }
  }

  // MARK: What they are told

  mutating func tell(_ notice: Notice, to id: ClientID) { all[id]?.tell(notice) }

  /// Once for each change of control.
  mutating func tellOfControl(_ id: ClientID) {
    guard all[id]?.isToldOfControl == false else { return }
    all[id]?.isToldOfControl = true
    tell(.notInControl, to: id)
  }

  /// Who was told that another controls hears that it does itself now.
  mutating func gainedControl(_ id: ClientID) {
    if all[id]?.isToldOfControl == true { tell(.controlGained, to: id) }
    all[id]?.isToldOfControl = false
  }

  mutating func lostControl(_ id: ClientID) {
    all[id]?.isToldOfControl = true
    tell(.controlLost, to: id)
  }

  /// Once for each time that the board goes.
  mutating func tellOfBoard(_ id: ClientID, isRaw: Bool) {
    guard all[id]?.isToldOfBoard == false else { return }
    all[id]?.isToldOfBoard = true
    tell(.noBoard(isRaw: isRaw), to: id)
  }

  mutating func boardIsGone() { for id in all.keys { all[id]?.isToldOfBoard = false } }

  /// In which kind of message it is answered from here on.
  mutating func answer(_ id: ClientID, as kind: MessageKind) { all[id]?.kind = kind }

  // MARK: Reading

  func hold(_ id: ClientID) { all[id]?.client.isReading = false }

  func resume() {
    for sender in all.values where !sender.client.isReading { sender.client.isReading = true }
  }
}
