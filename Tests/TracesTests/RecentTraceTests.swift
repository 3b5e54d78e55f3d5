import Sketches
import Testing
import Traces

struct RecentTraceTests {
  private static let header = Header(firmware: .guarded, baud: 9_600, duration: nil, title: nil)

  private static func lines(_ trace: RecentTrace) -> [Substring] {
    String(decoding: trace.text, as: UTF8.self).split(separator: "\n")
  }

  @Test func `A short session is kept whole`() {
    var trace = RecentTrace(Self.header)
    for second in 0..<100 { trace.put(Event(.zero + .seconds(Int64(second)), .mark("m\(second)"))) }
    let lines = Self.lines(trace)
    #expect(lines.count == 101)
    #expect(!lines[0].contains("unknown"))
  }

  @Test func `Of a long session the last five minutes are kept, from an unknown start`() {
    var trace = RecentTrace(Self.header)
    for second in 0..<1_000 {
      trace.put(Event(.zero + .seconds(Int64(second)), .mark("m\(second)")))
    }
    let lines = Self.lines(trace)
    #expect((296...306).contains(lines.count))
    #expect(lines[0].contains(#""start": "unknown""#))
    #expect(lines.last?.contains("m999") == true)
  }

  @Test func `The text has a limit, however much happens`() {
    var trace = RecentTrace(Self.header)
    let text = String(repeating: "a", count: 10_000)
    for index in 0..<2_000 {
      trace.put(Event(.zero + .milliseconds(Int64(index)), .mark(text)))
    }
    #expect(trace.text.count <= 17 << 20)
    #expect(trace.text.count >= 14 << 20)
    #expect(Self.lines(trace).last?.hasPrefix("[1.999000") == true)
  }

  @Test func `Bytes that do not become events are in it as if they had, in order of time`() {
    var trace = RecentTrace(Self.header)
    trace.put(Event(.zero + .milliseconds(1), .receive([65])))
    // At 9 600 baud a byte takes 1 041 666 ns.
    trace.put(transmitted: Array("ab".utf8), by: .zero + .milliseconds(10))
    trace.put(Event(.zero + .milliseconds(8), .output(.servo(degrees: 90, microseconds: 1_472))))
    trace.put(transmitted: Array("c".utf8), by: .zero + .milliseconds(10))
    #expect(
      Self.lines(trace).dropFirst() == [
        #"[0.001000, "rx", "A"]"#, #"[0.007917, "tx", "a"]"#, #"[0.008000, "servo", 90, 1472]"#,
        #"[0.008959, "tx", "b"]"#, #"[0.008959, "tx", "c"]"#,
      ])
  }

  @Test func `Such bytes count as the events that they become`() {
    var trace = RecentTrace(Self.header)
    let chunk = [UInt8](repeating: 97, count: 1_000)
    for index in 0..<10_000 {
      trace.put(transmitted: chunk, by: .zero + .milliseconds(Int64(index)))
    }
    #expect(trace.text.count <= 17 << 20)
  }

  @Test func `What came after the moment to which a session is rewound is not in it`() {
    var trace = RecentTrace(Self.header)
    for second in 0..<10 { trace.put(Event(.zero + .seconds(Int64(second)), .mark("m\(second)"))) }
    trace.goBack(to: .zero + .seconds(4))
    trace.put(Event(.zero + .seconds(5), .mark("again")))
    #expect(Self.lines(trace).suffix(2).map { $0.contains("m4") } == [true, false])
    trace.goBack(to: .zero)
    #expect(Self.lines(trace).count == 2)
  }
}
