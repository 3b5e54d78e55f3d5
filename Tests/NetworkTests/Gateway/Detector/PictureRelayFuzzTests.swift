import Engine
import Sketches
import TestSupport
import Testing
import Traces

@testable import Network

/// Random actions of clients and the detector.
struct PictureRelayFuzzTests {
  /// Plays the clients and the detector, and checks each action.
  private struct Play {
    let limits = PictureLimits()
    var relay: PictureRelay
    var random: SeededGenerator
    var now = Instant.zero
    var flaws: [String] = []
    var controller: ClientID?
    var isReady = false
    /// The pictures that each present client has sent, and those of them that were answered.
    var sent: [ClientID: Int] = [:]
    var answered: [ClientID: Set<Int>] = [:]
    var lastID = 0
    /// The picture that the detector has, by its text, and its number on the connection.
    var looking: String?
    var sentHere = 0
    /// When pictures were passed on.
    var passes: [Instant] = []
    var observations = 0

    init(seed: UInt64) {
      relay = PictureRelay(limits)
      random = SeededGenerator(seed: seed)
    }

    mutating func handle(_ event: PictureRelay.Event) {
      for action in relay.handle(event, at: now) { look(at: action) }
    }

    private mutating func look(at action: PictureRelay.Action) {
      switch action {
      case .tell(let message, let id):
        if message == .detectorReady || message == .detectorAway, sent[id] != nil { return }
        flaws.append("\(message) to \(id)")
      case .send(let bytes):
        let text = String(decoding: bytes, as: UTF8.self)
        if looking != nil { flaws.append("two at once") }
        if !isReady { flaws.append("sent to nobody") }
        if controller.map({ text.hasPrefix("\($0)#") }) != true { flaws.append("not in control") }
        looking = text
        sentHere += 1
        if passes.count >= limits.perSecondMax,
          now - passes[passes.count - limits.perSecondMax] < .seconds(1)
        {
          flaws.append("more than 15 in a second")
        }
        passes.append(now)
      case .reject:
        isReady = false
        looking = nil
      case .answer(let answer, let id):
        let text = String(decoding: answer.json, as: UTF8.self)
        guard case .object? = try? JSONValue.contents(of: answer.json, path: "answer") else {
          return flaws.append("not JSON: \(text)")
        }
        let number: Int
        switch answer {
        case .replaced(let old, let newer):
          if newer <= old || newer > sent[id, default: 0] { flaws.append(text) }
          number = old
        case .refused(let refused, _): number = refused
        case .observation(let members):
          observations += 1
          guard case .number(let digits)? = JSONValue.object(members)["seq"],
            let value = Int(digits)
          else { return flaws.append(text) }
          number = value
          if looking != "\(id)#\(value)" { flaws.append("\(text) is not for \(looking ?? "-")") }
        }
        if !(1...sent[id, default: 0]).contains(number) { flaws.append("unknown: \(text)") }
        if answered[id]?.insert(number).inserted != true { flaws.append("twice: \(text)") }
      }
    }

    mutating func act() {
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where sent.count < 4:
        lastID += 1
        let id = ClientID(lastID)
        sent[id] = 0
        answered[id] = []
        handle(.joined(id))
      case 1:
        if Int.random(in: 0..<4, using: &random) == 0, let id = anyone() { leave(id) }
      case 2:
        controller = Int.random(in: 0..<8, using: &random) == 0 ? nil : anyone()
        handle(.controller(controller))
      case 3...9: if let id = controller ?? anyone() { picture(from: id) }
      case 10: if let id = anyone() { picture(from: id) }
      case 11...14: if looking != nil { answer(sentHere) }
      case 15 where Int.random(in: 0..<8, using: &random) == 0: answer(sentHere + 1)
      case 16:
        if isReady {
          if Int.random(in: 0..<6, using: &random) == 0 { end() }
        } else {
          isReady = true
          sentHere = 0
          handle(.ready)
        }
      default:
        if let deadline = relay.nextDeadline, Bool.random(using: &random) {
          now = max(now, deadline)
        } else {
          now += .milliseconds(Int64.random(in: 0...40, using: &random))
        }
        handle(.passed)
      }
    }

    private mutating func anyone() -> ClientID? {
      sent.keys.sorted().randomElement(using: &random)
    }

    private mutating func picture(from id: ClientID) {
      let number = sent[id, default: 0] + 1
      guard sent[id] != nil else { return }
      sent[id] = number
      var bytes = Array("\(id)#\(number)".utf8)
      if Int.random(in: 0..<30, using: &random) == 0 {
        bytes += [UInt8](repeating: 0x61, count: limits.bytesMax)
      }
      handle(.received(bytes, from: id))
    }

    private mutating func answer(_ number: Int) {
      let text = #"{"t": 1, "found": [], "seq": \#(number), "replaced": 0}"#
      guard isReady else { return }
      let answered = looking
      for action in relay.handle(.answered(Array(text.utf8), .text), at: now) {
        // The next picture follows in the same turn, after the answer.
        if case .send = action, looking == answered { looking = nil }
        look(at: action)
      }
      if looking == answered { looking = nil }
    }

    private mutating func leave(_ id: ClientID) {
      sent[id] = nil
      answered[id] = nil
      handle(.left(id))
      if controller == id {
        controller = nil
        handle(.controller(nil))
      }
    }

    private mutating func end() {
      isReady = false
      looking = nil
      handle(.away)
    }

    /// Ends the play and checks that nothing waits.
    mutating func settle() {
      end()
      for (id, count) in sent where answered[id] != Set(1..<(count + 1)) {
        flaws.append("client \(id) has \(answered[id]?.count ?? 0) answers to \(count) pictures")
      }
      if relay.nextDeadline != nil { flaws.append("something is awaited") }
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `Each picture has one answer, one is looked at at a time, and 15 a second at most`(
    seed: UInt64
  ) {
    var play = Play(seed: seed)
    for _ in 0..<2_000 { play.act() }
    play.settle()
    #expect(play.flaws == [], "seed \(seed)")
    #expect(play.passes.count > 20 && play.observations > 10, "seed \(seed)")
    let counts = play.relay.counts
    let refused = counts.refused.values.reduce(0, +)
    #expect(counts.received == counts.passed + counts.replaced + refused, "seed \(seed)")
    #expect(counts.passed == play.passes.count, "seed \(seed)")
  }
}
