import Sketches
import TestSupport

@testable import Devices
@testable import Pictures

extension LiveStatus {
  /// A session of `text` sent at 1.5 s, seen at `seconds`.
  static func sample(
    _ firmware: Firmware = .guarded, _ text: String = "", seconds: Double = 3
  ) -> LiveStatus {
    var model = Model(firmware, baud: 9_600, showsPulses: false)
    var recorder = Recorder(ledger: Ledger())
    model.send(Array(text.utf8), at: Instant(nanoseconds: 1_500_000_000))
    let end = Instant(nanoseconds: Int64(seconds * 1e9))
    model.advance(to: end, into: &recorder)
    var status = LiveStatus(
      port: "/tmp/ttySentry", device: "model", firmware: firmware, baud: 9_600)
    status.time = end
    status.activity = model.activity
    status.recent = recorder.ledger?.entries ?? []
    for case .servo(let degrees, let microseconds, _) in recorder.outputs.map(\.output) {
      status.commandedDegrees = degrees
      status.commandedMicroseconds = microseconds
    }
    return status
  }

  /// The session of the screens that the tests spell out.
  static var known: LiveStatus {
    var status = sample(.classic, "X45.X9X200.L", seconds: 2)
    status.clients = 1
    status.recording = "/tmp/sessions/evening.jsonl"
    status.ending = "Ctrl-C or q ends"
    status.time = Instant(nanoseconds: 83_104_224_000)
    status.commandedDegrees = 120
    status.commandedMicroseconds = 1_781
    status.shaftDegrees = 118.64
    status.isShaftMoving = true
    status.activity = .scanning(next: 121, rising: true)
    status.counts.received = 1_204
    status.counts.waitingInRing = 2
    status.counts.commands = 301
    status.counts.lost = [.ringFull: 3]
    status.lateness = Lateness(
      count: 5_000, median: .microseconds(52), worst: .microseconds(1_240))
    status.hints = [
      "printf X45. > /tmp/ttySentry",
      #"python3 -c 'import serial; serial.Serial("/tmp/ttySentry", 9600).write(b"X45.")'"#,
    ]
    return status
  }

  /// A random status.
  static func random(using generator: inout SeededGenerator) -> LiveStatus {
    func text(_ lengthMax: Int, _ generator: inout SeededGenerator) -> String {
      let scalars: [Unicode.Scalar] = [
        "a", "Z", "9", " ", "/", "ü", "字", "\u{1B}", "\n", "\u{301}",
      ]
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...lengthMax, using: &generator) {
        text.append(scalars.randomElement(using: &generator) ?? "a")
      }
      return String(text)
    }
    func maybe(_ generator: inout SeededGenerator) -> Bool { .random(using: &generator) }
    let firmware = Firmware.allCases.randomElement(using: &generator) ?? .classic
    let alphabet = Array("X0123456789.LTOC?V\r\nq".utf8)
    let bytes = (0..<Int.random(in: 0...90, using: &generator)).map { _ in
      alphabet.randomElement(using: &generator) ?? 0
    }
    var status = sample(
      firmware, String(decoding: bytes, as: UTF8.self),
      seconds: .random(in: 1...4, using: &generator))
    status.port = text(60, &generator)
    status.device = text(20, &generator)
    status.baud = .random(in: 1...4_000_000, using: &generator)
    if maybe(&generator) { status.senderBaud = .random(in: 0...4_000_000, using: &generator) }
    status.clients = .random(in: 0...12, using: &generator)
    if maybe(&generator) { status.recording = text(80, &generator) }
    status.time.nanoseconds = .random(in: 0...Int64.max, using: &generator)
    status.commandedDegrees = maybe(&generator) ? .random(in: 0...255, using: &generator) : nil
    status.commandedMicroseconds =
      maybe(&generator) ? .random(in: 0...9_999, using: &generator) : nil
    let shafts: [Double?] = [nil, .nan, .infinity, -15, 195, 1e30, 90.04]
    status.shaftDegrees = shafts.randomElement(using: &generator) ?? nil
    if maybe(&generator) { status.activity = nil }
    status.toneHertz = maybe(&generator) ? .random(in: 0...1e6, using: &generator) : nil
    status.counts.received = .random(in: 0...Int.max, using: &generator)
    status.counts.waitingOnLine = .random(in: 0...4_096, using: &generator)
    status.counts.waitingInRing = maybe(&generator) ? 63 : nil
    for loss in Output.Loss.allCases where maybe(&generator) {
      status.counts.lost[loss] = .random(in: 0...99_999_999, using: &generator)
    }
    status.counts.transmitDropped = .random(in: 0...3, using: &generator)
    if maybe(&generator) {
      status.lateness = Lateness(
        count: .random(in: 0...5, using: &generator), median: .microseconds(1),
        worst: .seconds(100_000))
    }
    status.hints = (0..<Int.random(in: 0...5, using: &generator)).map { _ in text(120, &generator) }
    status.notice = maybe(&generator) ? text(200, &generator) : nil
    return status
  }
}
