import Engine
import Platform
import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

struct GDBServerTests {
  @Test func `While GDB holds a session no time passes in it, and its senders wait`() throws {
    let bench = try DebuggedBench()
    var gdb: MemorySocket?
    let result = try bench.run(
      (.milliseconds(500), { bench.write("x") }),
      (.seconds(1), { gdb = bench.connect("?") }),
      (.seconds(60), { bench.send(["c"], on: gdb!) }))
    #expect(result.ending == .time)
    #expect(result.took > .seconds(60) && result.took < .milliseconds(60_300))
    let arrival = try #require(result.arrivals.first)
    #expect(arrival < .zero + .milliseconds(5))
    #expect(result.rises.count == 1)
    #expect(bench.isMirrored)
  }

  @Test func `A session goes on from where it was held, however long and often that was`() throws {
    let bench = try DebuggedBench(lasting: .seconds(2))
    var gdb: MemorySocket?
    var actions: [(after: Interval, act: () -> Void)] = [(.zero, { gdb = bench.connect("?") })]
    for second in 1...5 as ClosedRange<Int64> {
      actions.append((.milliseconds(1_000 * second), { bench.send(["c"], on: gdb!) }))
      actions.append((.milliseconds(1_000 * second + 100), { gdb!.send([3], isData: false) }))
      actions.append((.milliseconds(1_000 * second + 50), { bench.write("x") }))
    }
    actions.append((.seconds(7), { bench.send(["c"], on: gdb!) }))
    let result = try bench.run(actions)
    // It ran for 100 ms in each of five seconds, and then for the rest.
    #expect(result.took > .milliseconds(8_480) && result.took < .milliseconds(8_700))
    for (index, arrival) in result.arrivals.enumerated() {
      let expected = Instant.zero + .milliseconds(100 * Int64(index) + 50)
      let difference = max(arrival, expected) - min(arrival, expected)
      #expect(difference < .milliseconds(1), "\(result.arrivals)")
    }
    #expect(result.arrivals.count == 5 && bench.isMirrored)
  }

  @Test func `The clock stands where the program is stopped`() throws {
    let bench = try DebuggedBench()
    var gdb: MemorySocket?
    let result = try bench.run(
      (.zero, { gdb = bench.connect("Z0,1a,2", "c") }),
      (.milliseconds(20), { bench.write("x") }),
      // It stands at the breakpoint, and the second byte waits.
      (.milliseconds(200), { bench.write("y") }),
      (.seconds(9), { bench.send(["z0,1a,2", "c"], on: gdb!) }))
    let arrivals = result.arrivals
    #expect(arrivals.count == 2 && result.rises.count == 2)
    let pause = arrivals[1] - arrivals[0]
    // A byte takes 1 ms at 9600 baud.
    #expect(pause > .microseconds(900) && pause < .milliseconds(4))
    #expect(result.took > .seconds(9))
    #expect(bench.isMirrored)
  }

  @Test func `What GDB changes takes effect in the session, which says that it is no recording`()
    throws
  {
    let bench = try DebuggedBench()
    let result = try bench.run(
      (.zero, { _ = bench.connect("Z0,1a,2", "c") }),
      (.milliseconds(20), { bench.write("x") }),
      (.seconds(1), { _ = bench.connect() }),
      (.seconds(2), { bench.system.sockets[0].reset() }),
      (.seconds(3), { _ = bench.connect("P22=1c000000", "c") }))
    // The instruction that puts 1 on the pin has been left out.
    #expect(result.arrivals.count == 1 && result.rises.isEmpty)
    let notes = result.events.filter {
      if case .other(let text) = $0.kind { text.contains("x-debugger") } else { false }
    }
    #expect(notes.count == 1)
    #expect(bench.isMirrored)
    #expect(result.remarks.contains("GDB is gone; the session waits for another to connect."))
  }

  @Test func `The past of a live session cannot be changed`() throws {
    let bench = try DebuggedBench()
    var gdb: MemorySocket?
    let result = try bench.run(
      (.zero, { gdb = bench.connect("Z0,1a,2", "c") }),
      (.milliseconds(20), { bench.write("x") }),
      (.seconds(1), { bench.send(["bs", "M800100,1:2a", "z0,1a,2", "c"], on: gdb!) }))
    #expect(result.rises.count == 1)
    #expect(gdb!.text.contains("$E01#"))
    #expect(result.remarks.count { $0.contains("past") } == 1)
    #expect(bench.isMirrored)
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `A signal ends a session that is held, whatever GDB does`(number: CInt) throws {
    for isConnected in [false, true] {
      let bench = try DebuggedBench()
      let result = try bench.run(
        (.milliseconds(100), { if isConnected { _ = bench.connect("?") } }),
        (.seconds(5), { bench.signal(number) }))
      #expect(result.ending == .signal(number))
      #expect(result.took < .milliseconds(5_100))
    }
  }

  @Test func `After GDB has detached or is gone, a running session goes on, and another can come`()
    throws
  {
    for leave in ["D", nil] as [String?] {
      let bench = try DebuggedBench(lasting: .seconds(2))
      var gdb: MemorySocket?
      var next: MemorySocket?
      let result = try bench.run(
        (.zero, { gdb = bench.connect("Z0,1a,2", "c") }),
        (
          .milliseconds(100),
          {
            guard let leave else { return gdb!.reset() }
            gdb!.send([3], isData: false)
            bench.send([leave], on: gdb!)
          }
        ),
        (.milliseconds(300), { bench.write("x") }),
        (.milliseconds(500), { next = bench.connect("?") }),
        (.seconds(30), { bench.send(["c"], on: next!) }))
      #expect(result.ending == .time && result.rises.count == 1)
      #expect(result.took > .seconds(31))
      #expect(result.remarks.contains { $0.contains("another can connect") })
      #expect(bench.isMirrored)
    }
  }

  @Test(arguments: ["D", "k", nil])
  func `A session that has ended can be looked back at until GDB leaves it`(leave: String?) throws {
    var gdb: MemorySocket?
    let bench = try DebuggedBench { bench in
      let begin = bench.system.time
      bench.system.at(begin + .seconds(1)) { bench.send(["bc"], on: gdb!) }
      bench.system.at(begin + .milliseconds(1_500)) { bench.signal(SIGCHLD) }
      bench.system.at(begin + .seconds(2)) { bench.send(["z0,1a,2", "c"], on: gdb!) }
      bench.system.at(begin + .seconds(5)) {
        if let leave { bench.send([leave], on: gdb!) } else { gdb!.reset() }
      }
    }
    let result = try bench.run(
      (.zero, { gdb = bench.connect("c") }), (.milliseconds(20), { bench.write("x") }),
      (.milliseconds(50), { bench.send(["Z0,1a,2"], on: gdb!) }))
    #expect(result.ending == .time && result.rises.count == 1)
    #expect(result.took > .seconds(5) && result.took < .milliseconds(5_200))
    let ends = gdb!.text.ranges(of: "replaylog:end").count
    #expect(ends == 2, "\(gdb!.text)")
  }

  @Test func `A signal ends a session that is looked back at`() throws {
    let bench = try DebuggedBench { bench in
      bench.system.at(bench.system.time + .seconds(3)) { bench.signal(SIGINT) }
    }
    let result = try bench.run((.zero, { _ = bench.connect("c") }))
    #expect(result.took > .seconds(3) && result.took < .milliseconds(3_200))
  }

  @Test func `kill in GDB ends the session`() throws {
    let bench = try DebuggedBench(lasting: .seconds(20))
    let result = try bench.run((.milliseconds(100), { _ = bench.connect("k") }))
    #expect(result.ending == .key && result.took < .seconds(1))
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", "it begins as an HTTP request"),
      ("\u{16}\u{3}\u{1}", "it begins as a TLS connection"),
      ("hello", "what it sends is not GDB's protocol"),
    ])
  func `A client that is not GDB is refused with a sentence`(
    text: String, sentence: String
  ) throws {
    let bench = try DebuggedBench()
    let result = try bench.run(
      (.milliseconds(1), { bench.connect().send(Array(text.utf8), isData: false) }),
      (.seconds(2), { _ = bench.connect("c") }))
    #expect(result.ending == .time)
    #expect(result.remarks == ["0.0.0.0:1 was refused: \(sentence)."])
    #expect(bench.system.sockets[0].isClosed)
  }

  @Test func `A second GDB is refused, and one that says nothing gives way`() throws {
    let bench = try DebuggedBench()
    var silent: MemorySocket?
    var second: MemorySocket?
    var gdb: MemorySocket?
    let result = try bench.run(
      (.milliseconds(1), { silent = bench.connect() }),
      (.seconds(1), { gdb = bench.connect("?") }),
      (.seconds(2), { second = bench.connect("c") }),
      (.seconds(5), { bench.send(["c"], on: gdb!) }))
    #expect(silent?.isClosed == true && second?.isClosed == true)
    #expect(result.took > .seconds(5))
    #expect(result.remarks == ["0.0.0.0:3 was refused: another GDB is connected."])
  }

  @Test func `GDB's Ctrl-C is seen while the program runs`() throws {
    let bench = try DebuggedBench(lasting: .seconds(3))
    var gdb: MemorySocket?
    let result = try bench.run(
      (.zero, { gdb = bench.connect("c") }),
      (.seconds(1), { gdb!.send([3], isData: false) }),
      (
        .milliseconds(1_050),
        { #expect(gdb!.text.contains("$T02")) }
      ),
      (.seconds(10), { bench.send(["c"], on: gdb!) }))
    #expect(result.ending == .time && result.took > .seconds(11))
  }

  // Bytes at any time, and a GDB that stops, steps and goes back and forth.
  @Test func `The debugger's copy of the board is the session's`() throws {
    for seed in Seeds.first(60) {
      var generator = SeededGenerator(seed: seed)
      let bench = try DebuggedBench(seed: seed, lasting: .milliseconds(60))
      var actions: [(after: Interval, act: () -> Void)] = []
      let gdb = bench.connect("Z0,1a,2")
      let commands = ["c", "s", "bs", "bc", "c", "vCont;r14,1c:1", "\u{3}", "c"]
      var time = Interval.zero
      for _ in 0..<40 {
        time = time + .microseconds(.random(in: 1...3_000, using: &generator))
        if Int.random(in: 0..<3, using: &generator) == 0 {
          let count = Int.random(in: 1...3, using: &generator)
          actions.append((time, { bench.write(String(repeating: "x", count: count)) }))
        } else if let command = commands.randomElement(using: &generator) {
          actions.append(
            (
              time,
              {
                if command == "\u{3}" {
                  gdb.send([3], isData: false)
                } else {
                  bench.send([command], on: gdb)
                }
              }
            ))
        }
      }
      actions.append((time + .seconds(1), { gdb.leave() }))
      actions.append((time + .seconds(2), { _ = bench.connect("c") }))
      let result = try bench.run(actions)
      #expect(result.ending == .time, "seed \(seed)")
      #expect(bench.isMirrored, "seed \(seed)")
    }
  }
}
