import Engine
import Sketches
import Traces

/// Decides which pictures reach the detector and when, and how each is answered.
///
///     away --ready--> idle --a picture that is due--> looking --its answer--> idle
///       ^              |                                 |
///       +--- away -----+---- away, late, or not the protocol
///
/// The pictures of the client in control are passed on, one at a time and at most
/// `PictureLimits.perSecondMax` a second. One more waits, and a newer one replaces it. Each picture
/// has exactly one answer, unless its client has left.
struct PictureRelay: Sendable {
  private struct Member: Hashable {
    /// How many pictures it has sent, and how many of them were replaced.
    var sent = 0
    var replaced = 0
    /// When its first picture arrived.
    var first: Instant?
  }

  /// A client's picture: its number, and its time after the client's first one.
  private struct Picture: Hashable {
    let client: ClientID
    let number: Int
    let time: Interval
  }

  private let limits: PictureLimits
  private var members: [ClientID: Member] = [:]
  private var controller: ClientID?
  private var isReady = false
  private var waiting: (picture: Picture, bytes: [UInt8])?
  /// The picture that the detector has, and when it must have answered.
  private var looking: (picture: Picture, deadline: Instant)?
  /// How many pictures were sent on the present connection. The detector counts them the same way.
  private var sentHere = 0
  /// When the next picture can be sent; nil if it can be sent now.
  private var nextTurn: Instant?
  private var tally = PictureCounts()
  /// The actions of the present event.
  private var actions: [Action] = []

  init(_ limits: PictureLimits) { self.limits = limits }

  var counts: PictureCounts {
    var counts = tally
    counts.isReady = isReady
    return counts
  }

  /// When `passed` must follow if nothing else happens; nil if nothing is awaited.
  var nextDeadline: Instant? {
    if let looking { return looking.deadline }
    return waiting == nil ? nil : nextTurn
  }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .joined(let id):
      members[id] = Member()
      actions.append(.tell(isReady ? .detectorReady : .detectorAway, id))
    case .received(let bytes, let id): receive(bytes, from: id, at: now)
    case .left(let id):
      members[id] = nil
      if waiting?.picture.client == id { dropWaiting(.controlLost, "its client has left") }
    case .controller(let id):
      controller = id
      if let waiting, waiting.picture.client != id { dropWaiting(.controlLost, Self.notInControl) }
    case .ready: begin()
    case .away: end()
    case .answered(let message, let kind): take(message, kind)
    case .passed:
      if let looking, looking.deadline <= now {
        let limit = String(readable: limits.answerTime)
        reject("it did not answer a picture in \(limit)")
      }
    }
    sendIfDue(at: now)
    defer { actions = [] }
    return actions
  }

  // MARK: Pictures

  private static let notInControl = "Not in control: another client controls the turret."

  private mutating func receive(_ bytes: [UInt8], from id: ClientID, at now: Instant) {
    guard var member = members[id] else { return }
    tally.received += 1
    member.sent += 1
    let first = member.first ?? now
    member.first = first
    members[id] = member
    let picture = Picture(client: id, number: member.sent, time: now - first)
    guard controller == id else { return refuse(picture, .notInControl, Self.notInControl) }
    guard bytes.count <= limits.bytesMax else {
      let sentence = "A picture can have at most \(limits.bytesMax) bytes."
      return refuse(picture, .tooLarge, sentence)
    }
    guard isReady else { return refuse(picture, .noDetector, "The detector is not connected.") }
    if let old = waiting?.picture {
      tally.replaced += 1
      members[old.client]?.replaced += 1
      answer(.replaced(old.number, by: picture.number), old)
    }
    waiting = (picture, bytes)
  }

  private mutating func sendIfDue(at now: Instant) {
    guard isReady, looking == nil, let (picture, bytes) = waiting,
      nextTurn.map({ $0 <= now }) ?? true
    else { return }
    waiting = nil
    looking = (picture, now + limits.answerTime)
    nextTurn = now + limits.period
    sentHere += 1
    tally.passed += 1
    actions.append(.send(bytes))
  }

  private mutating func refuse(
    _ picture: Picture, _ reason: PictureCounts.RefusalReason, _ sentence: String
  ) {
    tally.refused[reason, default: 0] += 1
    answer(.refused(picture.number, sentence), picture)
  }

  private mutating func dropWaiting(_ reason: PictureCounts.RefusalReason, _ sentence: String) {
    guard let picture = waiting?.picture else { return }
    waiting = nil
    refuse(picture, reason, sentence)
  }

  private mutating func answer(_ answer: PictureAnswer, _ picture: Picture) {
    // Its client may have left.
    if members[picture.client] != nil { actions.append(.answer(answer, picture.client)) }
  }

  // MARK: The detector

  private mutating func begin() {
    guard !isReady else { return }
    isReady = true
    sentHere = 0
    for id in members.keys.sorted() { actions.append(.tell(.detectorReady, id)) }
  }

  private mutating func end() {
    guard isReady else { return }
    isReady = false
    if let picture = looking?.picture {
      looking = nil
      fail(picture, "The detector has disconnected without an answer.")
    }
    dropWaiting(.noDetector, "The detector has disconnected.")
    for id in members.keys.sorted() { actions.append(.tell(.detectorAway, id)) }
  }

  private mutating func reject(_ why: String) {
    actions.append(.reject(why))
    end()
  }

  private mutating func take(_ message: [UInt8], _ kind: MessageKind) {
    guard isReady else { return }
    guard let picture = looking?.picture else {
      return reject("it sent a message without a picture")
    }
    do throws(DetectorAnswer.Flaw) {
      let found = try DetectorAnswer(message, kind, to: sentHere)
      looking = nil
      switch found {
      case .failure(let sentence): fail(picture, sentence)
      case .observation(let members):
        answer(.observation(members.map { ofClient($0, picture) }), picture)
      }
    } catch {
      reject(error.reason)
    }
  }

  private mutating func fail(_ picture: Picture, _ sentence: String) {
    tally.failed += 1
    answer(.refused(picture.number, sentence), picture)
  }

  /// A member of an observation, with the client's own numbers and time. The detector's are those
  /// of the connection to it, which also carries other clients' pictures and can be re-established.
  private func ofClient(_ member: JSONValue.Member, _ picture: Picture) -> JSONValue.Member {
    switch member.key {
    case "seq": .init("seq", .whole(picture.number))
    case "t": .init("t", .seconds(.zero + picture.time))
    case "replaced": .init("replaced", .whole(members[picture.client]?.replaced ?? 0))
    default: member
    }
  }
}

/// How many pictures, and how large ones, are passed to a detector.
struct PictureLimits: Hashable, Sendable {
  /// Bytes of one picture. A JPEG picture 320 pixels wide has about 15 000.
  var bytesMax = 200_000
  /// Pictures a second that are passed on. A newer picture replaces one that waits.
  var perSecondMax = 15
  /// A detector that takes longer to answer a picture is given up.
  var answerTime = Interval.seconds(5)

  /// The time between two pictures, rounded up, so that no second contains more.
  var period: Interval {
    let count = Int64(max(1, perSecondMax))
    return .nanoseconds((1_000_000_000 + count - 1) / count)
  }
}

extension PictureRelay {
  enum Event: Hashable, Sendable {
    /// A client that can send pictures has joined.
    case joined(ClientID)
    case received([UInt8], from: ClientID)
    case left(ClientID)
    /// The client in control, whether it sends pictures or not; nil if there is none.
    case controller(ClientID?)
    /// The detector has answered the hello on a new connection.
    case ready
    /// There is no connection to the detector.
    case away
    /// A message from the detector.
    case answered([UInt8], MessageKind)
    /// Time has passed.
    case passed
  }

  enum Action: Hashable, Sendable {
    case tell(ClientMessage, ClientID)
    case answer(PictureAnswer, ClientID)
    /// Send this picture to the detector.
    case send([UInt8])
    /// End the connection to the detector, for this reason, and make another one.
    case reject(String)
  }
}

/// Counts of what happened to the clients' pictures so far, and whether the detector is ready.
struct PictureCounts: Hashable, Sendable {
  /// The reason why a picture was not passed to the detector.
  enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    case notInControl = "not-in-control"
    case tooLarge = "too-large"
    /// The detector is not connected.
    case noDetector = "no-detector"
    /// Its client lost control, or left, before the picture's turn.
    case controlLost = "control-lost"
  }

  var isReady = false
  var received = 0
  /// Passed to the detector.
  var passed = 0
  /// Replaced by a newer one before their turn.
  var replaced = 0
  var refused: [RefusalReason: Int] = [:]
  /// Passed to the detector, which could not process them or did not answer.
  var failed = 0
}

/// The answer to one of a client's pictures: one JSON object. Pictures are numbered from 1 for each
/// client.
enum PictureAnswer: Hashable {
  /// What the detector saw. The members that belong to the client have been set.
  case observation([JSONValue.Member])
  /// The picture was not looked at, because this newer one arrived.
  case replaced(Int, by: Int)
  /// The picture was not looked at, for the reason in this sentence.
  case refused(Int, String)

  var json: [UInt8] {
    var text: [UInt8] = []
    JSONValue.object(members).append(to: &text)
    return text
  }

  private var members: [JSONValue.Member] {
    switch self {
    case .observation(let members): members
    case .replaced(let number, let newer):
      [.init("seq", .whole(number)), .init("replaced_by", .whole(newer))]
    case .refused(let number, let sentence):
      [.init("seq", .whole(number)), .init("error", .string(sentence))]
    }
  }
}

/// A detector's answer to a picture, as it arrives (docs/detector.md).
enum DetectorAnswer: Hashable {
  /// A message that is not the answer that was expected, with the reason in a few words.
  struct Flaw: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  case observation([JSONValue.Member])
  /// The detector could not process the picture, for the reason in its sentence.
  case failure(String)

  /// - Parameter number: the number of the picture that waits for its answer, as the detector
  ///   counts.
  init(_ message: [UInt8], _ kind: MessageKind, to number: Int) throws(Flaw) {
    guard kind == .text, let value = try? JSONValue.contents(of: message, path: "answer"),
      case .object(let members) = value
    else { throw Flaw("its answer is not a JSON object") }
    guard value["seq"] == JSONValue.whole(number) else {
      throw Flaw("its answer is not to the picture that was sent")
    }
    if case .string(let sentence)? = value["error"] {
      self = .failure(sentence)
      return
    }
    guard case .number? = value["t"], case .array? = value["found"] else {
      throw Flaw("its answer is not an observation")
    }
    self = .observation(members)
  }
}
