import Devices
import Sketches
import Testing
import Traces

@testable import Pictures

struct SerialMonitorTests {
  private static func typing(_ lineEnd: SerialMonitor.LineEnd = .none) -> SerialMonitor {
    var monitor = SerialMonitor(lineEnd: lineEnd)
    monitor.begin()
    return monitor
  }

  private static func keys(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(arguments: [
    ("X90.", [0x58, 0x39, 0x30, 0x2E]), (#"a\n"#, [0x61, 0x0A]), (#"\r\n\t\\"#, [13, 10, 9, 92]),
    (#"\x00\x7f\xFF"#, [0, 0x7F, 0xFF]), (#"\x41B"#, [0x41, 0x42]), ("{}\"'", [123, 125, 34, 39]),
  ])
  func `A typed line has the escapes of the command line`(_ line: String, _ bytes: [UInt8]) throws {
    #expect(try SerialMonitor.bytes(of: Self.keys(line)) == bytes)
  }

  @Test func `Each byte can be typed`() throws {
    for byte in UInt8.min...UInt8.max {
      let line = #"\x"# + String(byte, radix: 16, digits: 2)
      #expect(try SerialMonitor.bytes(of: Self.keys(line)) == [byte])
    }
  }

  @Test(arguments: [#"\"#, #"a\q"#, #"\x"#, #"\x4"#, #"\xG0"#, #"\x+1"#, #"\x-1"#, #"\x 1"#])
  func `A line with another escape is not sent, and stays`(_ line: String) {
    var monitor = Self.typing()
    #expect(monitor.take(Self.keys(line + "\n")).isEmpty)
    #expect(monitor.mistake?.hasPrefix("expected ") == true)
    #expect(monitor.text == Self.keys(line))
    _ = monitor.take([0x7F])
    #expect(monitor.mistake == nil)
    #expect(monitor.text == Self.keys(String(line.dropLast())))
  }

  @Test func `The line end is chosen with Tab, in the order of the Arduino IDE`() {
    var monitor = Self.typing()
    let ends: [[UInt8]] = (0..<5).map { _ in
      defer { _ = monitor.take([0x09]) }
      return monitor.take(Self.keys("P\n")).first.map { Array($0.dropFirst()) } ?? []
    }
    #expect(ends == [[], [10], [13], [13, 10], []])
  }

  @Test func `An empty line sends only its end`() {
    var monitor = Self.typing()
    #expect(monitor.take([0x0A]).isEmpty)
    _ = monitor.take([0x09])
    #expect(monitor.take([0x0A]) == [[0x0A]])
  }

  @Test func `Arrow keys bring back earlier lines`() {
    let (up, down) = (Self.keys("\u{1B}[A"), Self.keys("\u{1B}OB"))
    var monitor = Self.typing()
    #expect(monitor.take(Self.keys("P1\nP2\nP2\n")).count == 3)
    func text(after keys: [UInt8]) -> String {
      _ = monitor.take(keys)
      return String(decoding: monitor.text, as: UTF8.self)
    }
    #expect(text(after: up) == "P2")
    #expect(text(after: up) == "P1")
    #expect(text(after: up) == "P1")
    #expect(text(after: down) == "P2")
    #expect(text(after: down) == "")
    #expect(text(after: up + up + Self.keys("0")) == "P10")
    #expect(monitor.isTyping)
    #expect(text(after: Self.keys("\u{1B}[3~\u{1B}[")) == "P10")
  }

  @Test func `Esc leaves the line, Ctrl-U deletes it, and Ctrl-X shows hexadecimal`() {
    var monitor = Self.typing()
    _ = monitor.take(Self.keys("abc") + [0x15] + Self.keys("d") + [0x18])
    #expect(monitor.text == Self.keys("d"))
    #expect(monitor.isHexadecimal)
    _ = monitor.take([0x1B])
    #expect(!monitor.isTyping)
    #expect(monitor.isShown)
  }

  @Test func `Random keys neither trap nor grow the line without end`() {
    var monitor = Self.typing()
    var number: UInt32 = 1
    for _ in 0..<20_000 {
      let keys = (0..<7).map { _ in
        number = number &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: number >> 24)
      }
      _ = monitor.take(keys)
      #expect(monitor.text.count <= 1_024)
    }
  }

  private static var status: LiveStatus {
    var status = LiveStatus(port: "/tmp/p", device: "avr", firmware: .guarded, baud: 115_200)
    status.monitor.isShown = true
    status.canType = true
    for (time, text) in [(1_500, "P120\n"), (2_000, "T45\n")] as [(Int64, String)] {
      status.serial.take(Event(.zero + .milliseconds(time), .receive(Array(text.utf8))))
      status.serial.take(transmitted: Self.keys("ok\r\n"), at: .zero + .milliseconds(time + 1))
    }
    return status
  }

  private static func lines(_ status: LiveStatus, _ columns: Int = 80) -> [String] {
    LiveScreen(
      size: ScreenSize(columns: columns, rows: 24), glyphs: .unicode, inColour: false
    ).lines(for: status)
  }

  @Test func `The view shows what was sent and answered, and how to type`() {
    let lines = Self.lines(Self.status)
    #expect(lines.contains { $0.contains("── serial monitor ─") })
    #expect(lines.contains { $0.contains(#"1.500 → P120\n"#) })
    #expect(lines.contains { $0.contains(#"1.501 ← ok\r\n"#) })
    #expect(lines.contains { $0.contains("m: type a line to send") })
  }

  @Test func `The view shows the line that is typed, its end, and mistakes`() {
    var status = Self.status
    status.monitor.begin()
    _ = status.monitor.take(Self.keys("P9"))
    #expect(Self.lines(status).contains { $0.contains("> P9_") && $0.contains("New line (Tab)") })
    _ = status.monitor.take(Self.keys(#"\q"#) + [0x0A])
    #expect(Self.lines(status).contains { $0.contains("expected \\n, \\r") })
    _ = status.monitor.take([0x18])
    #expect(Self.lines(status).contains { $0.contains("← 6F 6B 0D 0A") })
  }

  @Test func `The view says what is no longer answered, and shows pins`() throws {
    var status = Self.status
    status.unanswered = Self.keys("P45\n")
    status.pins = [
      LivePin(pin: try #require(BoardPin(name: "D7")), isHigh: true),
      LivePin(pin: try #require(BoardPin(name: "D8")), isHigh: false),
    ]
    let lines = Self.lines(status)
    #expect(lines.contains { $0.contains(#"no answer for 5 s to `P45\n`"#) })
    #expect(lines.contains { $0.contains("pins      ●D7  ·D8") })
    for columns in [20, 40, 56, 200] {
      #expect(Self.lines(status, columns).allSatisfy { $0.unicodeScalars.count <= columns })
    }
  }
}
