import Aim
import Sketches
import TestSupport
import Testing

@testable import Sessions

/// How aiming begins, continues and ends, without observations, a port or a clock.
struct AimLifeTests {
  /// Takes events and returns the actions as text: `read`, `X90.`, `+frame 40` for an alarm in 40
  /// ms.
  private struct Line {
    var life: AimLife
    var now = Instant.zero

    init(isRecorded: Bool, rate: Double? = nil) {
      life = AimLife(isRecorded: isRecorded, rate: rate)
    }

    /// A recording whose target is connected.
    static func playing(rate: Double? = nil) -> Line {
      var line = Line(isRecorded: true, rate: rate)
      _ = line.take(.begin, .audience(.target(wasThere: true)))
      return line
    }

    /// A pipe that is being read.
    static func following(rate: Double? = nil) -> Line {
      var line = Line(isRecorded: false, rate: rate)
      _ = line.take(.begin, .opened(isAtEnd: false), .sawNothing(next: nil))
      return line
    }

    mutating func take(_ events: AimLife.Event...) -> [String] {
      events.flatMap { life.handle($0, at: now) }.map { action in
        switch action {
        case .send(let command): command.text
        case .set(let alarm, let time): "+\(alarm) \(time.nanoseconds / 1_000_000)"
        default: "\(action)"
        }
      }
    }

    mutating func pass(_ milliseconds: Int64) { now += .milliseconds(milliseconds) }
  }

  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  // MARK: A recording

  @Test func `A recording waits for its target, and session time begins with it`() {
    var line = Line(isRecorded: true)
    #expect(line.take(.begin) == ["lookForAudience"])
    #expect(line.take(.audience(.target(wasThere: false))) == ["+audience 5"])
    line.pass(5)
    #expect(line.take(.due(.audience)) == ["lookForAudience"])
    #expect(line.take(.audience(.target(wasThere: true))) == ["read"])
    #expect(line.life.time(at: line.now) == .zero)
  }

  @Test func `A target that is absent for 10 s ends the session, unless it was there before`() {
    for (milliseconds, wasThere, wasPlayed) in [
      (9_999, false, true), (10_000, false, false), (20_000, true, true),
    ] as [(Int64, Bool, Bool)] {
      var line = Line(isRecorded: true)
      _ = line.take(.begin)
      line.pass(milliseconds)
      let words = line.take(.audience(.target(wasThere: wasThere)))
      #expect(words == (wasThere ? ["read"] : wasPlayed ? ["+audience 5"] : ["stop"]))
      #expect(line.life.wasPlayed == wasPlayed)
    }
  }

  @Test func `Without a target the session waits for a question to the vision phone without limit`()
  {
    var line = Line(isRecorded: true)
    _ = line.take(.begin)
    line.pass(3_600_000)
    #expect(line.take(.audience(.clients(hasAsked: false))) == ["+audience 5"])
    #expect(line.take(.audience(.clients(hasAsked: true))) == ["read"])
  }

  @Test func `Frames are read at their times`() {
    var line = Line.playing()
    #expect(line.take(.saw(.aim(90))) == ["X90.", "read"])
    #expect(line.take(.sawNothing(next: Self.at(40))) == ["+frame 40"])
    line.pass(41)
    #expect(line.take(.due(.frame)) == ["read"])
    #expect(line.take(.saw(.aim(90))) == ["read"])
    #expect(line.take(.sawNothing(next: Self.at(30))) == ["+frame 0"])
    #expect(line.take(.due(.frame), .saw(.lost)) == ["read", "L", "read"])
    #expect(line.take(.sawNothing(next: nil)) == ["stop"])
    #expect(line.life.commands == 2)
  }

  @Test func `After 1000 late frames the loop gets a turn`() {
    var line = Line.playing()
    for _ in 0..<2 {
      for _ in 1..<1_000 { #expect(line.take(.saw(.lost)).last == "read") }
      #expect(line.take(.saw(.lost)) == ["+frame 0"])
      #expect(line.take(.due(.frame)) == ["read"])
    }
  }

  // MARK: A pipe

  @Test func `The contents of a pipe are read before the pipe is watched`() {
    var line = Line(isRecorded: false)
    #expect(line.take(.begin) == ["openPipe"])
    #expect(line.take(.opened(isAtEnd: false), .saw(.lost)) == ["read", "L", "read"])
    #expect(line.take(.sawNothing(next: nil)) == ["listen"])
    #expect(line.take(.arrived(isEnd: false), .sawNothing(next: nil)) == ["read"])
    #expect(line.take(.arrived(isEnd: true), .saw(.aim(1))) == ["read", "X1.", "read"])
    #expect(line.take(.sawNothing(next: nil)) == ["stop"])
  }

  @Test func `A pipe that has already ended is read to its end`() {
    var line = Line(isRecorded: false)
    #expect(line.take(.begin, .opened(isAtEnd: true)) == ["openPipe", "read"])
    #expect(line.take(.saw(.lost), .sawNothing(next: nil)) == ["L", "read", "stop"])
  }

  @Test func `A fault before a pipe is watched closes it`() {
    var line = Line(isRecorded: false)
    _ = line.take(.begin, .opened(isAtEnd: false))
    #expect(line.take(.fault) == ["closePipe", "stop"])

    var unopened = Line(isRecorded: false)
    #expect(unopened.take(.begin, .fault) == ["openPipe", "stop"])

    var later = Line.following()
    #expect(later.take(.fault) == ["stop"])
    #expect(later.take(.arrived(isEnd: false), .saw(.lost)).isEmpty)
  }

  // MARK: What is sent, and the end

  @Test func `At a rate a command waits for its turn, even if no frame arrives`() {
    var line = Line.following(rate: 10)
    #expect(line.take(.saw(.aim(1))) == ["X1.", "read"])
    line.pass(30)
    #expect(line.take(.saw(.aim(2))) == ["+pace 70", "read"])
    #expect(line.take(.saw(.aim(3))) == ["read"])
    line.pass(70)
    #expect(line.take(.due(.pace)) == ["X3."])
    #expect(line.take(.saw(.aim(4)), .saw(.aim(3))) == ["+pace 100", "read", "read"])
    line.pass(100)
    // The command was withdrawn meanwhile.
    #expect(line.take(.due(.pace)).isEmpty)
  }

  @Test func `A command that waits for its turn is sent at the end`() {
    for end in [.shutDown, .fault, .sawNothing(next: nil)] as [AimLife.Event] {
      var line = Line.playing(rate: 10)
      _ = line.take(.saw(.aim(1)), .saw(.aim(2)))
      #expect(line.take(end) == ["X2.", "stop"])
      #expect(line.take(.due(.pace)).isEmpty)
      #expect(line.life.commands == 2)
    }
  }

  @Test func `A recording that is shut down while the session waits is not played`() {
    var line = Line(isRecorded: true)
    #expect(line.take(.begin, .shutDown) == ["lookForAudience", "stop"])
    #expect(line.take(.audience(.clients(hasAsked: true)), .due(.audience)).isEmpty)
    #expect(line.take(.shutDown, .fault).isEmpty)
  }

  @Test func `The session ends once and sends the last change, whatever happens`() {
    var random = SeededGenerator(seed: 9)
    for round in 0..<2_000 {
      var line = Line(isRecorded: round % 2 == 0, rate: round % 3 == 0 ? 20 : nil)
      var alarms: [AimLife.Alarm: Instant] = [:]
      var (wanted, sent): (TurretCommand?, [TurretCommand]) = (nil, [])
      var stops = 0

      func carryOut(_ event: AimLife.Event) {
        var events = [event]
        while !events.isEmpty {
          let event = events.removeFirst()
          if case .saw(let command, _) = event, !line.life.isOver { wanted = command }
          for action in line.life.handle(event, at: line.now) {
            #expect(stops == 0)
            switch action {
            case .lookForAudience:
              events.append(.audience(.target(wasThere: .random(using: &random))))
            case .openPipe:
              events.append(.opened(isAtEnd: Int.random(in: 0..<9, using: &random) == 0))
            case .read:
              #expect(!line.life.isOver)
              switch Int.random(in: 0..<40, using: &random) {
              case 0: events.append(.fault)
              case 1: events.append(.sawNothing(next: nil))
              case 2..<20:
                let next = line.life.time(at: line.now) + .milliseconds(40)
                events.append(.sawNothing(next: round % 2 == 0 ? next : nil))
              default: events.append(.saw(.aim(Int.random(in: 0..<4, using: &random))))
              }
            case .send(let command):
              #expect(command != sent.last)
              sent.append(command)
            case .set(let alarm, let time):
              #expect(alarms[alarm] == nil && time >= .zero)
              alarms[alarm] = line.now + time
            case .stop: stops += 1
            case .listen, .closePipe: #expect(round % 2 == 1)
            }
          }
        }
      }

      carryOut(.begin)
      for _ in 0..<30 {
        line.pass(Int64.random(in: 0..<30, using: &random))
        let due = alarms.filter { $0.value <= line.now }.map(\.key)
        for alarm in due.sorted(by: { "\($0)" < "\($1)" }) {
          alarms[alarm] = nil
          carryOut(.due(alarm))
        }
        if round % 2 == 1 { carryOut(.arrived(isEnd: false)) }
      }
      carryOut(.shutDown)
      #expect(stops == 1)
      #expect(sent.last == wanted && line.life.commands == sent.count)
    }
  }
}
