import Platform
import Sketches
import SystemPackage
import TestSupport
import Testing

@testable import Serial

@Suite(.ownThread) struct PtyPortTests {
  @Test func `A port that no sender opens receives nothing`() throws {
    let door = try PtyStage()
    #expect(try door.look(room: 100) == [])
    #expect(!door.isOpen && door.clientCount == 0)
    #expect(try door.write([1, 2, 3]) == 0)
  }

  @Test
  func `Opening, bytes and closing arrive in this order, even if all happen at once`() throws {
    let door = try PtyStage()
    for text in ["X45.", "L"] {
      let end = try door.open()
      try end.writeAll(Array(text.utf8))
      try door.close(end)
      let events = try door.events { $0.last == .closed }
      #expect(events == [.opened, .bytes(Array(text.utf8)), .closed])
    }
  }

  @Test func `Every byte arrives unchanged, as the port is raw before it is opened`() throws {
    let door = try PtyStage()
    let end = try door.open()
    let bytes = Array(UInt8.min...UInt8.max)
    try end.writeAll(bytes)
    var received: [UInt8] = []
    _ = try door.events { events in
      received = events.flatMap { event -> [UInt8] in
        if case .bytes(let bytes) = event { bytes } else { [] }
      }
      return received.count >= bytes.count
    }
    #expect(received == bytes)
    #expect(try door.write(bytes) == bytes.count)
    var answer = [UInt8](repeating: 0, count: 256)
    let count = try answer.withUnsafeMutableBytes { try end.read(into: $0) }
    #expect(Array(answer[..<count]) == Array(bytes[..<count]) && count > 0)
    // None of it came back as an echo.
    #expect(try door.look(room: 100) == [])
  }

  @Test(arguments: [1, 3, 64])
  func `The port takes only as many bytes as there is room for, and loses none`(_ room: Int) throws
  {
    let door = try PtyStage()
    let end = try door.open()
    let text = String(repeating: "X45.", count: 50)
    try end.writeAll(Array(text.utf8))
    var received: [UInt8] = []
    for _ in 0..<5_000 where received.count < text.utf8.count {
      var inOneLook = 0
      for case .bytes(let bytes) in try door.look(room: room) {
        inOneLook += bytes.count
        received += bytes
      }
      #expect(inOneLook <= room)
    }
    #expect(received == Array(text.utf8))
    #expect(try door.look(room: 0) == [])
  }

  @Test(.enabled(if: isLinux, "the kernel's news of settings"))
  func `A sender's speed arrives before its bytes, and only if it changes`() throws {
    let door = try PtyStage()
    let end = try door.open()
    try door.setSpeed(9_600, of: end)
    try end.writeAll(Array("a".utf8))
    #expect(try door.events { $0.contains(.bytes([0x61])) } == [.opened, .bytes([0x61])])
    try door.setSpeed(19_200, of: end)
    try end.writeAll(Array("b".utf8))
    #expect(try door.events { $0.contains(.bytes([0x62])) } == [.baud(19_200), .bytes([0x62])])
    try end.writeAll(Array("c".utf8))
    #expect(try door.events { $0.contains(.bytes([0x63])) } == [.bytes([0x63])])
    try door.setSpeed(9_600, of: end)
    try end.writeAll(Array("d".utf8))
    #expect(try door.events { $0.contains(.bytes([0x64])) } == [.baud(9_600), .bytes([0x64])])
  }

  @Test(.enabled(if: isLinux, "the kernel's order of events"))
  func `What a sender wrote before it changed its speed has the old one, and that is said`() throws
  {
    let door = try PtyStage()
    let end = try door.open()
    try door.setSpeed(9_600, of: end)
    #expect(try door.look(room: 4_096) == [.opened])
    try end.writeAll(Array("45\n".utf8))
    tcdrain(end.rawValue)
    try door.setSpeed(19_200, of: end)
    let events = try door.events { $0.contains(.bytes(Array("45\n".utf8))) }
    #expect(events == [.unordered(from: 9_600, to: 19_200), .bytes(Array("45\n".utf8))])
    try end.writeAll(Array("9".utf8))
    #expect(try door.events { $0.contains(.bytes([0x39])) } == [.baud(19_200), .bytes([0x39])])
    // It is said once.
    try end.writeAll(Array("8".utf8))
    try door.setSpeed(9_600, of: end)
    #expect(try door.events { $0.contains(.bytes([0x38])) } == [.bytes([0x38])])
  }

  @Test(.enabled(if: isLinux, "the kernel's order of events"))
  func `A sender that discards its input while it opens the port writes at the speed that it sets`()
    throws
  {
    let door = try PtyStage()
    for (baud, text) in [(19_200, "a"), (4_800, "b")] {
      let end = try door.open()
      try door.setSpeed(baud, of: end)
      tcflush(end.rawValue, TCIFLUSH)
      try end.writeAll(Array(text.utf8))
      let events = try door.events { $0.contains(.bytes(Array(text.utf8))) }
      #expect(events == [.opened, .baud(baud), .bytes(Array(text.utf8))])
      try door.close(end)
      #expect(try door.events { $0.contains(.closed) } == [.closed])
    }
  }

  /// Speeds with and without a name in termios; 4 098 is the code of 115 200 on Linux.
  @Test(arguments: [250_000, 74_880, 31_250, 4_098, 110, 115_200])
  func `A sender that sets no speed has the board's speed`(_ baud: Int) throws {
    let door = try PtyStage(baud: baud)
    for text in ["X45.", "L"] {
      let end = try door.open()
      try end.writeAll(Array(text.utf8))
      try door.close(end)
      let events = try door.events { $0.last == .closed }
      #expect(events == [.opened, .bytes(Array(text.utf8)), .closed])
    }
  }

  @Test(.enabled(if: isLinux, "inotify"))
  func `Only the first sender opens the port, and only the last one closes it`() throws {
    let door = try PtyStage()
    let first = try door.open()
    #expect(try door.look(room: 9) == [.opened])
    let second = try door.open()
    try second.writeAll(Array("b".utf8))
    #expect(try door.events { !$0.isEmpty } == [.bytes([0x62])])
    #expect(door.clientCount == 2)
    try door.close(second)
    #expect(try door.events { _ in door.clientCount == 1 } == [])
    #expect(door.clientCount == 1)
    try first.writeAll(Array("a".utf8))
    #expect(try door.events { !$0.isEmpty } == [.bytes([0x61])])
    try door.close(first)
    #expect(try door.events { !$0.isEmpty } == [.closed])
    #expect(door.clientCount == 0)
  }

  @Test func `Bytes that a sender did not read are not given to the next one`() throws {
    let door = try PtyStage()
    let first = try door.open()
    #expect(try door.events { !$0.isEmpty } == [.opened])
    #expect(try door.write(Array("old".utf8)) == 3)
    try door.close(first)
    #expect(try door.events { !$0.isEmpty } == [.closed])
    let end = try door.open()
    #expect(try door.events { !$0.isEmpty } == [.opened])
    #expect(try door.write(Array("new".utf8)) == 3)
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = try bytes.withUnsafeMutableBytes { try end.read(into: $0) }
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == "new")
  }

  @Test
  func `A port that a sender leaves cooked is raw for the next one`() throws {
    let door = try PtyStage()
    let first = try door.open()
    #expect(try door.events { !$0.isEmpty } == [.opened])
    var settings = termios()
    #expect(tcgetattr(first.rawValue, &settings) == 0)
    settings.c_lflag |= tcflag_t(ICANON | ECHO | ISIG)
    settings.c_lflag &= ~tcflag_t(EXTPROC)
    settings.c_iflag |= tcflag_t(ICRNL | IXON)
    settings.c_oflag |= tcflag_t(OPOST | ONLCR)
    #expect(tcsetattr(first.rawValue, TCSANOW, &settings) == 0)
    try door.close(first)
    #expect(try door.events { $0.last == .closed }.last == .closed)
    let end = try door.open()
    #expect(tcgetattr(end.rawValue, &settings) == 0)
    #expect(settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(settings.c_lflag & tcflag_t(EXTPROC) != 0)
    #expect(settings.c_iflag & tcflag_t(ICRNL | IXON) == 0)
    #expect(settings.c_oflag & tcflag_t(OPOST) == 0)
  }

  @Test(.enabled(if: isLinux, "what stops a writer was measured on Linux"))
  func `Senders that are held get EAGAIN, and continue when they are released`() throws {
    let door = try PtyStage()
    let end = try door.open(options: [.nonBlocking])
    #expect(try door.events { !$0.isEmpty } == [.opened])
    try end.writeAll(Array("a".utf8))
    try door.hold(true)
    try door.hold(true)
    #expect(throws: Errno.wouldBlock) { try end.writeAll([UInt8(0x62)]) }
    // Earlier bytes still arrive, and holding neither opens nor closes the port.
    #expect(try door.events { !$0.isEmpty } == [.bytes([0x61])])
    #expect(door.clientCount == 1)
    try door.hold(false)
    #expect(try end.writeAll([UInt8(0x63)]) == 1)
    #expect(try door.events { !$0.isEmpty } == [.bytes([0x63])])
  }

  @Test(.enabled(if: isLinux, "what stops a writer was measured on Linux"))
  func `A sender that closes the port while held is noticed once senders are released`() throws {
    let door = try PtyStage()
    let end = try door.open()
    try end.writeAll(Array("abc".utf8))
    #expect(try door.events { $0.count > 1 } == [.opened, .bytes(Array("abc".utf8))])
    try door.hold(true)
    try door.close(end)
    #expect(try door.look(room: 9) == [])
    try door.hold(false)
    #expect(try door.events { !$0.isEmpty } == [.closed])
    #expect(!door.isOpen)
  }

  static let isLinux: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  @Test
  func `A sender that opens the port while another's bytes are held is a new opening`() throws {
    let door = try PtyStage()
    let first = try door.open()
    #expect(try door.events { $0.contains(.opened) } == [.opened])
    try door.hold(true)
    try door.close(first)
    let second = try door.open()
    let events = try door.events { $0.contains(.opened) }
    #expect(events == [.closed, .opened])
    #expect(door.clientCount == 1)
    try door.hold(false)
    try door.close(second)
    #expect(try door.events { $0.contains(.closed) } == [.closed])
    #expect(try door.look(room: 100) == [])
  }

  /// `TIOCGEXCL`, `_IOR('T', 0x40, int)`.
  private static let getClaim: UInt = 0x8004_5440

  @Test(
    .enabled(if: isLinux && getuid() == 0, "another's claim keeps out all but root"),
    arguments: [false, true])
  func `A sender's claim ends with it`(_ isReplaceable: Bool) throws {
    let door = try PtyStage(isReplaceable: isReplaceable)
    let end = try door.open()
    #expect(ioctl(end.rawValue, UInt(TIOCEXCL)) == 0)
    #expect(try door.events { !$0.isEmpty } == [.opened])
    try door.close(end)
    #expect(try door.events { $0.contains(.closed) } == [.closed])
    let next = try door.open()
    var claim: CInt = -1
    #expect(ioctl(next.rawValue, Self.getClaim, &claim) == 0)
    #expect(claim == 0)
  }

  /// A pty resets PARENB, so even parity cannot be seen.
  @Test(
    .enabled(if: isLinux, "the kernel's news of settings"),
    arguments: [(PARENB | PARODD, 1), (PARENB, 0), (CSTOPB, 0), (0, 0)])
  func `A parity that a sender sets is reported once, as far as it can be seen`(
    _ flags: CInt, _ count: Int
  ) throws {
    let door = try PtyStage()
    var events: [PtyPort.Event] = []
    for _ in 0..<2 {
      let end = try door.open()
      var settings = termios()
      #expect(tcgetattr(end.rawValue, &settings) == 0)
      settings.c_cflag |= tcflag_t(flags)
      // The C library reports that nothing of it was set if that is so.
      _ = tcsetattr(end.rawValue, TCSANOW, &settings)
      try end.writeAll([0x4C])
      events += try door.events { $0.contains(.bytes([0x4C])) }
      try door.close(end)
      events += try door.events { $0.contains(.closed) }
    }
    #expect(events.count { $0 == .parity } == count)
    #expect(events.count { $0 == .bytes([0x4C]) } == 2)
  }

  @Test(.enabled(if: isLinux, "the kernel's news of settings"))
  func `The reader's speed is the board's until a program sets one`() throws {
    let door = try PtyStage(baud: 115_200)
    let end = try door.open()
    #expect(door.readerBaud == 115_200)
    try door.setSpeed(9_600, of: end)
    #expect(door.readerBaud == 9_600)
  }

  @Test func `A closed port causes no more events`() throws {
    let door = try PtyStage()
    for _ in 0..<20 {
      let end = try door.open()
      try end.writeAll([0x4C])
      _ = try door.events { $0.contains(.bytes([0x4C])) }
      _ = try door.write([1, 2, 3])
      try door.close(end)
      #expect(try door.events { $0.contains(.closed) } == [.closed])
      #expect(try door.look(room: 100) == [])
    }
  }
}
