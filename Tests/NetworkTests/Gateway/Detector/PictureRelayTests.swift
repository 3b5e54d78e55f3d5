import Engine
import Sketches
import Testing

@testable import Network

/// Which pictures reach the detector, and how each is answered, tested without a socket.
struct PictureRelayTests {
  /// Takes events and returns the resulting actions as words: `send p1` to the detector, `1 {...}`
  /// to client 1.
  struct Line {
    var relay: PictureRelay
    var now = Instant.zero

    init(_ change: (inout PictureLimits) -> Void = { _ in }) {
      var limits = PictureLimits()
      change(&limits)
      relay = PictureRelay(limits)
    }

    /// Client 1 is in control, client 2 is not, and the detector is ready.
    static func ready(_ change: (inout PictureLimits) -> Void = { _ in }) -> Line {
      var line = Line(change)
      _ = line.take(.ready, .joined(1), .joined(2), .controller(1))
      return line
    }

    mutating func take(_ events: PictureRelay.Event...) -> [String] {
      events.flatMap { event in relay.handle(event, at: now).map(Self.word) }
    }

    /// A picture from a client.
    mutating func picture(_ text: String, from id: ClientID = 1) -> [String] {
      take(.received(Array(text.utf8), from: id))
    }

    /// An answer from the detector to its picture with that number.
    mutating func answer(_ number: Int) -> [String] {
      let text =
        #"{"t": 7.5, "found": [], "seq": \#(number), "image": [3, 2], "ms": 1, "replaced": 9, "x": 1}"#
      return take(.answered(Array(text.utf8), .text))
    }

    mutating func wait(_ milliseconds: Int64) -> [String] {
      now += .milliseconds(milliseconds)
      return take(.passed)
    }

    static func word(_ action: PictureRelay.Action) -> String {
      switch action {
      case .tell(.detectorReady, let id): "\(id) ready"
      case .tell(.detectorAway, let id): "\(id) away"
      case .tell(let message, let id): "\(id) \(message)"
      case .answer(let answer, let id): "\(id) \(String(decoding: answer.json, as: UTF8.self))"
      case .send(let bytes): "send \(String(decoding: bytes, as: UTF8.self))"
      case .reject(let why): "reject: \(why)"
      }
    }
  }

  private static func seen(_ number: Int, t: String = "0", replaced: Int = 0) -> String {
    #"1 {"t": \#(t), "found": [], "seq": \#(number), "image": [3, 2], "ms": 1, "#
      + #""replaced": \#(replaced), "x": 1}"#
  }

  private static func refused(_ number: Int, _ sentence: String, by id: Int = 1) -> String {
    #"\#(id) {"seq": \#(number), "error": "\#(sentence)"}"#
  }

  private static let other = "its answer is not to the picture that was sent"
  private static let away = "The detector is not connected."
  private static let foreign = "Not in control: another client controls the turret."

  @Test func `A client is told the detector's state when it joins, and each change`() {
    var line = Line()
    #expect(line.take(.joined(1)) == ["1 away"])
    #expect(line.take(.away) == [])
    #expect(line.take(.ready) == ["1 ready"])
    #expect(line.take(.ready) == [])
    #expect(line.take(.joined(2)) == ["2 ready"])
    #expect(line.take(.away) == ["1 away", "2 away"])
    #expect(line.take(.left(1), .ready) == ["2 ready"])
  }

  @Test func `A picture is passed on, and its observation comes back as the client's own`() {
    var line = Line.ready()
    #expect(line.picture("a") == ["send a"])
    #expect(line.answer(1) == [Self.seen(1)])
    _ = line.wait(250)
    #expect(line.picture("b") == ["send b"])
    #expect(line.answer(2) == [Self.seen(2, t: "0.25")])
  }

  @Test func `One picture waits while another is looked at, and the newest wins`() {
    var line = Line.ready { $0.perSecondMax = 1_000_000 }
    #expect(line.picture("a") == ["send a"])
    #expect(line.picture("b") == [])
    #expect(line.picture("c") == [#"1 {"seq": 2, "replaced_by": 3}"#])
    #expect(line.picture("d") == [#"1 {"seq": 3, "replaced_by": 4}"#])
    line.now += .milliseconds(1)
    #expect(line.answer(1) == [Self.seen(1, replaced: 2), "send d"])
    #expect(line.answer(2) == [Self.seen(4, replaced: 2)])
    let counts = line.relay.counts
    #expect((counts.received, counts.passed, counts.replaced) == (4, 2, 2))
  }

  @Test func `A picture waits for its turn, of which there are 15 a second`() {
    var line = Line.ready()
    #expect(line.picture("a") == ["send a"])
    #expect(line.answer(1) == [Self.seen(1)])
    #expect(line.relay.nextDeadline == nil)
    #expect(line.picture("b") == [])
    let due = Instant.zero + .nanoseconds(66_666_667)
    #expect(line.relay.nextDeadline == due)
    #expect(line.wait(66) == [])
    line.now = due
    #expect(line.take(.passed) == ["send b"])
  }

  @Test func `A picture of a client that is not in control never reaches the detector`() {
    var line = Line.ready()
    #expect(line.picture("x", from: 2) == [Self.refused(1, Self.foreign, by: 2)])
    #expect(line.take(.controller(nil)) == [])
    #expect(line.picture("y") == [Self.refused(1, Self.foreign)])
    // Nor does one from an unknown client.
    #expect(line.picture("z", from: 3) == [])
    #expect(line.relay.counts.refused == [.notInControl: 2])
    #expect(line.relay.counts.passed == 0)
  }

  @Test func `What waits is dropped when control changes, and what is looked at is answered`() {
    var line = Line.ready()
    _ = line.picture("a")
    _ = line.picture("b")
    #expect(line.take(.controller(1)) == [])
    #expect(line.take(.controller(2)) == [Self.refused(2, Self.foreign)])
    #expect(line.picture("c", from: 2) == [])
    _ = line.wait(100)
    #expect(line.answer(1) == [Self.seen(1), "send c"])
    #expect(line.relay.counts.refused == [.controlLost: 1])
  }

  @Test func `A client that leaves is not answered, and its waiting picture is dropped`() {
    var line = Line.ready()
    _ = line.picture("a")
    _ = line.picture("b")
    #expect(line.take(.left(1), .controller(2)) == [])
    _ = line.wait(100)
    #expect(line.answer(1) == [])
    #expect(line.picture("c", from: 2) == ["send c"])
  }

  @Test func `Without a detector a picture is refused, and one that is lost with it fails`() {
    var line = Line()
    _ = line.take(.joined(1), .controller(1))
    #expect(line.picture("a") == [Self.refused(1, Self.away)])
    #expect(line.take(.ready) == ["1 ready"])
    #expect(line.picture("b") == ["send b"])
    #expect(line.picture("c") == [])
    #expect(
      line.take(.away) == [
        Self.refused(2, "The detector has disconnected without an answer."),
        Self.refused(3, "The detector has disconnected."), "1 away",
      ])
    // The detector counts from 1 again, and the limit on the pictures a second still holds.
    #expect(line.take(.ready) == ["1 ready"])
    #expect(line.picture("d") == [])
    #expect(line.wait(67) == ["send d"])
    #expect(line.answer(1) == [Self.seen(4, t: "0")])
    #expect(line.relay.counts.failed == 1)
    #expect(line.relay.counts.refused == [.noDetector: 2])
  }

  @Test func `A picture that is too large is refused`() {
    var line = Line.ready { $0.bytesMax = 3 }
    #expect(line.picture("abcd") == [Self.refused(1, "A picture can have at most 3 bytes.")])
    #expect(line.picture("abc") == ["send abc"])
    #expect(line.relay.counts.refused == [.tooLarge: 1])
  }

  @Test func `The detector's own error is passed on`() {
    var line = Line.ready()
    _ = line.picture("a")
    let text = #"{"seq": 1, "error": "It is \"damaged\"."}"#
    #expect(
      line.take(.answered(Array(text.utf8), .text))
        == [#"1 {"seq": 1, "error": "It is \"damaged\"."}"#])
    #expect(line.relay.counts.failed == 1)
  }

  @Test func `A detector that does not answer in time is left`() {
    var line = Line.ready()
    _ = line.take(.left(2))
    _ = line.picture("a")
    #expect(line.relay.nextDeadline == Instant.zero + .seconds(5))
    #expect(line.wait(4_999) == [])
    #expect(
      line.wait(1) == [
        "reject: it did not answer a picture in 5 s",
        Self.refused(1, "The detector has disconnected without an answer."), "1 away",
      ])
    // The connection reports it too, and the answer is too late.
    #expect(line.take(.away) == [])
    #expect(line.answer(1) == [])
    #expect(line.relay.nextDeadline == nil)
  }

  @Test(arguments: [
    (#"{"t": 1, "found": [], "seq": 1}"#, MessageKind.binary, "its answer is not a JSON object"),
    ("[]", .text, "its answer is not a JSON object"),
    ("{", .text, "its answer is not a JSON object"),
    (#"{"t": 1, "found": []}"#, .text, other),
    (#"{"t": 1, "found": [], "seq": 2}"#, .text, other),
    (#"{"t": 1, "found": [], "seq": "1"}"#, .text, other),
    (#"{"error": "A text is too long."}"#, .text, other),
    (#"{"seq": 1, "replaced_by": 2}"#, .text, "its answer is not an observation"),
    (#"{"seq": 1, "error": 5}"#, .text, "its answer is not an observation"),
    (#"{"seq": 1, "t": 1, "found": {}}"#, .text, "its answer is not an observation"),
    (#"{"seq": 1, "t": "1", "found": []}"#, .text, "its answer is not an observation"),
  ])
  func `A detector that answers otherwise is left`(
    _ text: String, _ kind: MessageKind, _ why: String
  ) {
    var line = Line.ready()
    _ = line.take(.left(2))
    _ = line.picture("a")
    #expect(
      line.take(.answered(Array(text.utf8), kind)) == [
        "reject: \(why)", Self.refused(1, "The detector has disconnected without an answer."),
        "1 away",
      ])
  }

  @Test func `A detector that sends a message without a picture is left`() {
    var line = Line.ready()
    #expect(line.answer(1).first == "reject: it sent a message without a picture")
    #expect(!line.relay.counts.isReady)
  }
}
