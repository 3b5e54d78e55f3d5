import Network
import Sketches
import TestSupport
import Testing

@testable import Sessions

/// What happens to commands while a port disappears and returns, decided without a port.
struct PortDeliveryTests {
  /// Takes events and returns the actions as text: `open`, `X90.`, `+look 500` for an alarm in 500
  /// ms.
  private struct Line {
    var delivery = PortDelivery()
    var now = Instant.zero

    /// An open port with nothing to write.
    static func open(isRestarted: Bool = false) -> Line {
      var line = Line()
      _ = line.take(.start, .opened(isRestarted: isRestarted), .emptied)
      return line
    }

    mutating func take(_ events: PortDelivery.Event...) -> [String] {
      events.flatMap { delivery.handle($0, at: now) }.map { action in
        switch action {
        case .write(let bytes): String(decoding: bytes, as: UTF8.self)
        case .set(let alarm, let time): "+\(alarm) \(time.nanoseconds / 1_000_000)"
        case .report(let state): "(\(state))"
        default: "\(action)"
        }
      }
    }

    mutating func pass(_ milliseconds: Int64) { now += .milliseconds(milliseconds) }
  }

  @Test func `Delivery opens the port, discards the board's earlier output, and writes`() {
    var line = Line()
    #expect(line.take(.start) == ["(connecting)", "open"])
    #expect(line.take(.opened(isRestarted: false)) == ["(connected)", "empty"])
    #expect(line.take(.emptied) == ["+look 500"])
    #expect(line.take(.give(.aim(90))) == ["X90."])
    #expect(line.take(.took(4)).isEmpty)
    #expect(line.delivery.unsent == nil)
  }

  @Test func `A command given before the port is there is written when the port arrives`() {
    var line = Line()
    #expect(line.take(.give(.lost)).isEmpty)
    _ = line.take(.start)
    #expect(line.take(.give(.aim(1))).isEmpty)
    #expect(line.take(.failed("no port")) == ["close", "(disconnected: no port)", "+open 500"])
    #expect(line.take(.give(.aim(2))).isEmpty)
    #expect(line.delivery.unsent == .aim(2))
    #expect(line.take(.due(.open)) == ["(connecting)", "open"])
    #expect(line.take(.opened(isRestarted: false), .emptied).last == "X2.")
  }

  @Test func `A restarted board is given 2 s to start its sketch`() {
    var line = Line.open(isRestarted: true)
    #expect(line.take(.give(.aim(1))) == ["+write 2000"])
    line.pass(500)
    #expect(line.take(.give(.aim(2))).isEmpty)
    line.pass(1_500)
    #expect(line.take(.due(.write)) == ["X2."])
  }

  @Test func `Only the newest command waits for the line, with 10 bits a byte at 9600 a second`() {
    var line = Line.open()
    #expect(line.take(.give(.aim(90)), .took(4)) == ["X90."])
    line.pass(1)
    #expect(line.take(.give(.aim(91))) == ["+write 3"])
    #expect(line.take(.give(.lost), .give(.aim(92))).isEmpty)
    line.pass(3)
    #expect(line.take(.due(.write)) == ["+write 0"])
    line.pass(1)
    #expect(line.take(.due(.write), .took(4)) == ["X92."])
    #expect(line.delivery.isBusy(at: line.now))
    line.pass(5)
    #expect(!line.delivery.isBusy(at: line.now))
  }

  @Test func `A command in progress is written to its end, and a pending one is replaced`() {
    var begun = Line.open()
    #expect(begun.take(.give(.aim(90)), .took(1)) == ["X90.", "+write 5"])
    #expect(begun.take(.give(.aim(91))).isEmpty)
    begun.pass(5)
    #expect(begun.take(.due(.write), .took(3)) == ["90.", "+write 3"])
    begun.pass(4)
    #expect(begun.take(.due(.write)) == ["X91."])

    var whole = Line.open()
    #expect(whole.take(.give(.aim(90)), .took(0)) == ["X90.", "+write 5"])
    #expect(whole.take(.give(.aim(91)), .took(0)) == ["X91."])
    whole.pass(5)
    #expect(whole.take(.due(.write)) == ["X91."])
  }

  @Test func `The port is checked twice a second, even if nothing is written`() {
    var line = Line.open()
    #expect(line.take(.due(.look)) == ["empty"])
    #expect(line.take(.emptied) == ["+look 500"])
    #expect(line.take(.due(.look)) == ["empty"])
    #expect(line.take(.failed("is gone")) == ["close", "(disconnected: is gone)", "+open 500"])
    #expect(line.take(.due(.look)).isEmpty)
  }

  @Test func `A port that returns is sent the newest command, or the last one again`() {
    for (meanwhile, expected) in [([], "X1."), ([.lost, .aim(7)], "X7.")] as [([Command], String)] {
      var line = Line.open()
      _ = line.take(.give(.aim(1)), .took(3), .failed("is gone"))
      #expect(line.delivery.unsent == .aim(1))
      for command in meanwhile { #expect(line.take(.give(command)).isEmpty) }
      _ = line.take(.due(.open), .opened(isRestarted: false))
      #expect(line.take(.emptied) == ["+look 500", expected])
      #expect(line.take(.took(3)).isEmpty)
      #expect(line.delivery.unsent == nil)
    }
  }

  @Test func `A write alarm that outlives its port is not set twice`() {
    var line = Line.open(isRestarted: true)
    #expect(line.take(.give(.aim(1))) == ["+write 2000"])
    _ = line.take(.failed("is gone"), .due(.open), .opened(isRestarted: true))
    #expect(line.take(.emptied) == ["+look 500"])
    line.pass(1_999)
    #expect(line.take(.due(.write)) == ["+write 1"])
  }

  @Test func `An absent port is not busy, and after the end nothing happens`() {
    var line = Line.open()
    _ = line.take(.give(.aim(1)))
    #expect(line.delivery.isBusy(at: line.now))
    _ = line.take(.failed("is gone"))
    #expect(!line.delivery.isBusy(at: line.now))
    #expect(line.take(.end) == ["close"])
    #expect(line.take(.due(.open), .due(.look), .due(.write), .give(.lost)).isEmpty)
  }

  @Test func `The port gets whole commands in order and the newest last, whatever it does`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1_000 {
      var line = Line()
      var alarms: [PortDelivery.Alarm: Instant] = [:]
      var (given, sent) = ([Command](), [UInt8]())
      var isThere = false

      func carryOut(_ event: PortDelivery.Event, _ isCalm: Bool) {
        var events = [event]
        while !events.isEmpty {
          for action in line.delivery.handle(events.removeFirst(), at: line.now) {
            let isGood = isCalm || Int.random(in: 0..<8, using: &random) > 0
            switch action {
            case .open:
              #expect(!isThere)
              events.append(isGood ? .opened(isRestarted: .random(using: &random)) : .failed("no"))
              isThere = isGood
              sent = []
            case .empty: events.append(isGood ? .emptied : .failed("is gone"))
            case .write(let bytes):
              #expect(isThere && !bytes.isEmpty)
              let count = isCalm ? bytes.count : Int.random(in: 0...bytes.count, using: &random)
              sent += bytes[..<count]
              events.append(isGood ? .took(count) : .failed("is gone"))
            case .close: isThere = false
            case .set(let alarm, let time):
              #expect(alarms[alarm] == nil && time >= .zero)
              alarms[alarm] = line.now + time
            case .report: break
            }
          }
        }
      }

      func pass(_ time: Interval, _ isCalm: Bool) {
        let end = line.now + time
        while let (alarm, due) = alarms.min(by: {
          ($0.value, "\($0.key)") < ($1.value, "\($1.key)")
        }),
          due <= end
        {
          line.now = max(line.now, due)
          alarms[alarm] = nil
          carryOut(.due(alarm), isCalm)
        }
        line.now = end
      }

      carryOut(.start, false)
      for _ in 0..<30 {
        pass(.milliseconds(Int64.random(in: 0..<20, using: &random)), false)
        let command = Command.aim(UInt8.random(in: 0...180, using: &random))
        given.append(command)
        carryOut(.give(command), false)
      }
      pass(.seconds(4), true)
      #expect(line.delivery.unsent == nil && !line.delivery.isBusy(at: line.now))
      // Only whole commands arrive, in the order in which they were given.
      let commands = String(decoding: sent, as: UTF8.self).split(separator: ".").map { "\($0)." }
      #expect(commands.last.map { Array($0.utf8) } == given.last?.bytes)
      var rest = given.map(\.bytes)[...]
      for command in commands {
        let index = rest.firstIndex(of: Array(command.utf8))
        #expect(index != nil, "\(command)")
        rest = rest[((index ?? rest.startIndex - 1) + 1)...]
      }
    }
  }
}
