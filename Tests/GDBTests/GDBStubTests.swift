import AVR
import ChipDevice
import Sketches
import Testing
import Traces

@testable import GDB

struct GDBStubTests {
  private typealias Place = Client.Place

  // What GDB 13 sends when it connects to an AVR, in this order.
  @Test(
    arguments: [
      ("vMustReplyEmpty", ""), ("QStartNoAckMode", "OK"), ("Hg0", "OK"), ("qTStatus", ""),
      ("qfThreadInfo", "m1"), ("qsThreadInfo", "l"), ("qAttached", "1"), ("Hc-1", "OK"),
      ("qC", "QC1"), ("qOffsets", ""), ("qSymbol::", "OK"), ("T1", "OK"), ("T2", "E01"),
      ("Hg2", "E01"), ("vCont?", "vCont;c;C;s;S;r;t"), ("!", "OK"), ("qThreadExtraInfo,1", nil),
      ("qP0000001f0000000000000001", ""), ("Z5,0,2", ""), ("vUnknown", ""), ("", ""), ("y", ""),
      ("QUnknown", ""), ("qUnknown", ""), ("bx", ""), ("vCont;q", ""), ("vCont;r10", ""),
      ("qRcmd,0", "E01"), ("qXfer:features:read:other.xml:0,10", ""),
      ("D", "OK"), ("vKill;1", "OK"),
    ] as [(String, String?)])
  func `A question has its answer, and what is not known an empty one`(
    question: String, answer: String?
  ) throws {
    var client = try Client()
    let answers = client.send(question)
    #expect(answers.count == 1 && (answer == nil || answers == [answer!]))
    #expect((client.stub.ending != nil) == (question == "D" || question == "vKill;1"))
  }

  @Test func `What the stub can do is told, and what a client cannot take is not sent`() throws {
    var client = try Client()
    let features = client.send("qSupported:multiprocess+;swbreak+;xmlRegisters=i386")[0]
    for feature in [
      "PacketSize=1000", "QStartNoAckMode+", "qXfer:features:read+", "qXfer:memory-map:read+",
      "ReverseStep+", "ReverseContinue+", "vContSupported+", "swbreak+", "hwbreak+",
    ] {
      #expect(features.split(separator: ";").contains(Substring(feature)))
    }
    _ = client.send("Z0,a6,2")
    #expect(Client.reason(client.send("c")[0]) == "T05 swbreak: thread:1")
    _ = client.send("z0,a6,2")
    _ = client.send("Z1,152,2")
    // It has not said hwbreak+.
    #expect(Client.reason(client.send("c")[0]) == "T05 thread:1")
    #expect(client.counter == Place.loop)
  }

  @Test func `Documents are read in parts`() throws {
    var client = try Client()
    for (name, end) in [
      ("features:read:target.xml", "</target>"), ("memory-map:read:", "</memory-map>"),
    ] {
      var text = ""
      for _ in 0..<100 {
        let offset = String(text.utf8.count, radix: 16)
        let part = client.send("qXfer:\(name):\(offset),20")[0]
        text += part.dropFirst()
        if part.first == "l" { break }
        #expect(part.first == "m" && part.utf8.count == 0x21)
      }
      #expect(text.hasPrefix("<?xml") && text.hasSuffix(end))
    }
    #expect(client.send("qXfer:memory-map:read::ffffffff,ffffffff") == ["l"])
    // avr-gdb 13 warns of a description with registers, and uses its own.
    #expect(TargetDescription.target.contains("<architecture>avr:5</architecture>"))
    #expect(!TargetDescription.target.contains("reg"))
    #expect(
      TargetDescription.memoryMap(.atmega328p).contains(#"start="0x800000" length="0x10400"/>"#))
  }

  // MARK: Acknowledgements

  @Test func `A packet is acknowledged, and sent again on request, until that is switched off`()
    throws
  {
    var client = try Client()
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    #expect(text(client.stub.take(Array("$qC#b4".utf8))) == "+$QC1#c5")
    #expect(text(client.stub.take(Array("-".utf8))) == "$QC1#c5")
    #expect(text(client.stub.take(Array("----".utf8))) == "$QC1#c5")
    #expect(text(client.stub.take(Array("$qC#00".utf8))) == "-")
    #expect(text(client.stub.take(Array("$QStartNoAckMode#b0".utf8))) == "+$OK#9a")
    #expect(text(client.stub.take(Array("+$qC#b4-".utf8))) == "$QC1#c5")
  }

  // MARK: Registers and memory

  @Test func `Registers are in GDB's order and of its sizes`() throws {
    var client = try Client()
    let start = client.send("g")[0]
    #expect(start.utf8.count == 2 * 39)
    // SREG, the stack pointer and the program counter after a reset.
    #expect(start.suffix(14) == "00ff0800000000")
    #expect(client.send("p22") == ["00000000"] && client.send("p21") == ["ff08"])
    #expect(client.send("p23") == ["E01"] && client.send("pz") == ["E01"])
    #expect(client.send("P10=2a") == ["OK"] && client.send("p10") == ["2a"])
    #expect(client.send("P22=52010000") == ["OK"] && client.counter == Place.loop)
    for refused in ["P22=53010000", "P22=00000100", "P22=00800000", "P10=2a2a", "P10", "P23=00"] {
      #expect(client.send(refused) == ["E01"])
    }
    #expect(client.send("G" + start) == ["OK"] && client.send("g") == [start])
    #expect(client.send("G00") == ["E01"])
  }

  @Test(arguments: [
    // The first vector, the SREG of the data space, and an EEPROM that is empty.
    ("m0,4", "0c943400"), ("m80005d,3", "ff0800"), ("m810000,4", "ffffffff"),
    // The ends of the memories, and what is behind them.
    ("m7ffe,4", "ffff"), ("m8008fe,10", "0000"), ("m8103ff,2", "ff"),
    ("m8000,1", "E01"), ("m800900,1", "E01"), ("m810400,1", "E01"), ("mffffffff,ffffffff", "E01"),
    ("m", "E01"), ("m0", "E01"), ("m0,", "E01"), ("m0,0", ""), ("m123456789,1", "E01"),
    ("x0,2", "b\u{c}\u{FFFD}"), ("x8000,1", "E01"),
  ])
  func `Memory is read by avr-gdb's addresses`(question: String, answer: String) throws {
    var client = try Client()
    #expect(client.send(question) == [answer])
  }

  @Test func `A read is no longer than a packet`() throws {
    var client = try Client()
    #expect(client.send("m0,ffff")[0].utf8.count == PacketReader.packetMax)
  }

  @Test(arguments: [
    ("M800200,2:1234", "OK"), ("M800200,0:", "OK"), ("M800200,2:12", "E01"),
    ("M800200,2:zz", "E01"), ("M8008ff,2:0102", "E01"), ("M7fff,1:00", "OK"), ("M8000,1:00", "E01"),
    ("M810010,1:07", "OK"), ("M8103ff,2:0102", "E01"), ("X800200,2:ab", "OK"),
    ("X800200,3:ab", "E01"), ("X0,0:", "OK"),
  ])
  func `What is written is read again, and what has no place is refused`(
    write: String, answer: String
  ) throws {
    var client = try Client()
    #expect(client.send(write) == [answer])
    guard answer == "OK", let end = write.firstIndex(of: ":"), write.last != ":" else { return }
    let text = write[write.index(after: end)...]
    let hex =
      write.hasPrefix("M")
      ? String(text) : String(decoding: HexText.bytes(text.utf8), as: UTF8.self)
    #expect(client.send("m" + write.dropFirst().prefix { $0 != ":" }) == [hex])
  }

  @Test func `A write forks, which is said once, and rewriting what is there does not`() throws {
    var client = try Client()
    let flash = client.send("m0,40")[0]
    for command in ["M0,40:" + flash, "G" + client.send("g")[0], "P22=00000000"] {
      #expect(client.send(command) == ["OK"])
    }
    #expect(!client.stub.timeline.isForked)
    #expect(client.send("M800200,1:01") == ["OK"] && client.stub.timeline.isForked)
    let said = "the session is no longer the recorded one"
    #expect(Client.console(client.send("s")).contains(said))
    #expect(Client.console(client.send("s")).isEmpty)
  }

  @Test func `The program that is there already is loaded without a change`() throws {
    var client = try Client()
    let flash = HexText.decode(client.send("m0,200")[0].utf8)!
    #expect(client.send("vFlashErase:0,200") == ["OK"])
    #expect(client.send(Array("vFlashWrite:0:".utf8) + flash) == ["OK"])
    #expect(client.send("vFlashDone") == ["OK"] && !client.stub.timeline.isForked)
    #expect(client.send("vFlashErase:7f80,80") == ["OK"])
    #expect(client.send("vFlashWrite:7f80:ab") == ["OK"])
    #expect(client.send("m7f80,2") == ["ffff"])
    #expect(client.send("vFlashDone") == ["OK"] && client.send("m7f80,3") == ["6162ff"])
    for refused in ["vFlashErase:8000,1", "vFlashErase:0,ffffffff", "vFlashWrite:7fff:ab"] {
      #expect(client.send(refused) == ["E01"])
    }
  }

  // MARK: Running

  @Test func `Every stop is T05 with the thread, whatever let the program run`() throws {
    var client = try Client()
    for command in ["s", "vCont;s:1", "vCont;s", "S05", "vCont;S05:1;c", "vCont;r0,0:1", "bs"] {
      let packets = client.send(command)
      #expect(packets.count == 1 && Client.reason(packets[0]) == "T05 thread:1")
    }
    _ = client.send("Z0,152,2")
    for command in ["c", "vCont;c", "vCont;c:-1", "C05", "vCont;C05:1", "vCont;c:7;c"] {
      let packets = client.send(command)
      #expect(packets.count == 1 && Client.reason(packets[0]) == "T05 thread:1")
      #expect(client.counter == Place.loop)
    }
    #expect(client.send("?").count == 1)
    #expect(client.send("?")[0].contains("22:52010000;"))
  }

  @Test func `A range is stepped through with one packet`() throws {
    var client = try Client()
    _ = client.send("Z0,152,2")
    _ = client.send("c")
    _ = client.send("vCont;r152,178:1")
    // To the call, whose instruction is outside.
    #expect(client.counter == 0x178)
    _ = client.send("vCont;r178,17c:1")
    #expect(client.counter == Place.add)
  }

  @Test func `Both ends of the recording are stops`() throws {
    var client = try Client()
    #expect(Client.reason(client.send("bc")[0]) == "T05 replaylog:begin thread:1")
    #expect(Client.reason(client.send("bs")[0]) == "T05 replaylog:begin thread:1")
    for packet in ["c", "c", "s"] {
      let packets = client.send(packet)
      #expect(Client.console(packets) == "This is the end of the session.\n")
      #expect(packets.last.map { Client.reason($0) } == "T05 replaylog:end thread:1")
    }
    #expect(Client.reason(client.send("?")[0]) == "T05 replaylog:end thread:1")
  }

  @Test(arguments: [
    ("Z2,80010e,2", "watch:80010f", [0x16A, 0x166]),
    ("Z3,80010e,2", "rwatch:80010e", [0x15E, 0x15A]),
    ("Z4,80010f,1", "awatch:80010f", [0x162, 0x15E]),
  ])
  func `A watchpoint stops after the access, backwards before it`(
    point: String, reason: String, places: [Int]
  ) throws {
    var client = try Client()
    _ = client.send("Z0,152,2")
    _ = client.send("c")
    #expect(client.send(point) == ["OK"])
    #expect(Client.reason(client.send("c")[0]) == "T05 \(reason) thread:1")
    #expect(client.counter == places[0])
    #expect(Client.reason(client.send("bc")[0]) == "T05 \(reason) thread:1")
    #expect(client.counter == places[1])
    #expect(client.send("z" + point.dropFirst()) == ["OK"])
    #expect(client.stub.timeline.watchpoints.isEmpty)
  }

  @Test(arguments: [
    "Z2,100,1", "Z2,800000,0", "Z2,8008ff,2", "Z2,810000,1", "Z0,800100,2", "Z0", "Z2,1",
  ])
  func `A point at a place without one is refused`(point: String) throws {
    var client = try Client()
    #expect(client.send(point) == ["E01"])
  }

  @Test func `Breakpoints are not limited in number`() throws {
    var client = try Client()
    for address in 0..<2_000 {
      #expect(client.send("Z1,\(String(address * 2, radix: 16)),2") == ["OK"])
    }
    #expect(client.stub.timeline.breakpoints.count == 2_000)
    for address in 0..<2_000 { _ = client.send("z1,\(String(address * 2, radix: 16)),2") }
    #expect(client.stub.timeline.breakpoints.isEmpty)
  }

  @Test func `Ctrl-C stops the program, and does nothing while it stands`() throws {
    var client = try Client(isLive: true)
    #expect(client.stub.take([3]).isEmpty)
    _ = client.stub.take(PacketWriter.packet("c".utf8))
    for _ in 0..<10 { _ = client.stub.run(forAbout: 100_000) }
    #expect(client.stub.isRunning && client.stub.timeline.isAtFrontier)
    _ = client.stub.take([3])
    #expect(client.finish().map { Client.reason($0) } == ["T02 thread:1"])
    _ = client.stub.take(PacketWriter.packet("c".utf8))
    _ = client.stub.take(PacketWriter.packet("vCont;t".utf8))
    #expect(client.finish().map { Client.reason($0) } == ["T02 thread:1"])
  }

  @Test func `A live session runs as far as it may, with its inputs`() throws {
    var client = try Client(milliseconds: 1, isLive: true)
    _ = client.stub.take(PacketWriter.packet("c".utf8))
    for _ in 0..<10 { _ = client.stub.run(forAbout: 100_000) }
    #expect(client.stub.timeline.isAtFrontier)
    client.stub.append(Event(.zero + .milliseconds(1), .receive([0x58])))
    client.stub.extend(to: .zero + .milliseconds(4))
    #expect(!client.stub.timeline.isAtFrontier)
    for _ in 0..<10 { _ = client.stub.run(forAbout: 100_000) }
    #expect(client.stub.timeline.now == .zero + .milliseconds(4))
    _ = client.stub.take([3])
    _ = client.finish()
    #expect(client.monitor("byte 1").hasPrefix("byte 1, `X`, arrived, and was lost (booting)\n"))
  }

  @Test func `Packets that arrive during a run are answered after it`() throws {
    var client = try Client()
    var bytes = PacketWriter.packet("c".utf8)
    for _ in 0..<20 { bytes += PacketWriter.packet("qC".utf8) }
    let answer = client.stub.take(bytes)
    // More than a few are refused, so that the client sends them again.
    #expect(answer.filter { $0 == UInt8(ascii: "+") }.count == 9)
    #expect(answer.filter { $0 == UInt8(ascii: "-") }.count == 12)
    let packets = client.finish()
    #expect(Client.reason(packets[1]) == "T05 replaylog:end thread:1")
    #expect(packets.dropFirst(2) == Array(repeating: "QC1", count: 8)[...])
  }

  @Test func `A crash is a signal, told once, and can be left backwards`() throws {
    var client = try Client()
    // The stack is moved out of the SRAM.
    _ = client.send("P21=0000")
    _ = client.send("P22=52010000")
    let packets = client.send("c")
    #expect(packets.last.map { Client.reason($0) } == "T0b thread:1")
    #expect(Client.console(packets).contains("crashed at 0x0152, in loop"))
    #expect(client.send("c").map { Client.reason($0) } == ["T0b thread:1"])
    #expect(Client.reason(client.send("bc")[0]) == "T05 replaylog:begin thread:1")
  }

  @Test func `Each crash is told as what it is`() throws {
    var client = try Client()
    for (counter, place) in [
      ("52010000", "0x0152, in loop"), ("a6000000", "0x00A6, in bench::Counter::add"),
    ] {
      _ = client.send("P21=0000")
      _ = client.send("P22=\(counter)")
      let text = Client.console(client.send("c"))
      #expect(text.contains("crashed at \(place)"), "\(text)")
      #expect(client.monitor("why").contains("crashed at \(place)"))
    }
    #expect(client.monitor("goto 1.9ms").hasPrefix("The program has crashed before that.\n"))
  }

  @Test func `Another program is loaded at the beginning, and its code has no names`() throws {
    var client = try Client()
    _ = client.send("c")
    // At 0: `rjmp .+0`, 0xFFFF, which is no instruction.
    _ = client.send("vFlashErase:0,8000")
    _ = client.send(Array("vFlashWrite:0:".utf8) + [0x00, 0xC0, 0xFF, 0xFF])
    #expect(client.send("vFlashDone").last == "OK")
    #expect(client.stub.timeline.cycle == 0 && client.stub.timeline.isForked)
    let packets = client.send("c")
    let text = Client.console(packets)
    #expect(text.contains("begins again") && text.contains("crashed at 0x0002.\n"), "\(text)")
    #expect(packets.last.map { Client.reason($0) } == "T04 thread:1")
    #expect(client.monitor("time").contains("cycle 2, in a session"))
    #expect(client.monitor("last write total").contains("Expected a global variable"))
    _ = client.monitor("reset")
    #expect(client.send("m2,2") == ["ffff"] && client.stub.timeline.cycle == 0)
    // A third one, after a change at the beginning: `rjmp .-2`.
    _ = client.send("M800200,1:55")
    _ = client.send("vFlashErase:0,8000")
    _ = client.send(Array("vFlashWrite:0:".utf8) + [0xFF, 0xCF])
    #expect(client.send("vFlashDone").last == "OK")
    #expect(client.send("m0,2") == ["ffcf"] && client.send("m800200,1") == ["00"])
    #expect(client.send("c").last.map { Client.reason($0) } == "T05 replaylog:end thread:1")
    // The next client loads it once more, and the names are not its own then either.
    client.stub.beginAgain()
    _ = client.send("vFlashErase:0,8000")
    _ = client.send(Array("vFlashWrite:0:".utf8) + [0xFF, 0xCF])
    #expect(client.send("vFlashDone").last == "OK" && client.stub.isReprogrammed)
  }

  @Test func `What the past of a live session refuses is told once, not for each write`() throws {
    var client = try Client(isLive: true)
    client.stub.keepsPast = true
    _ = client.stub.take(PacketWriter.packet("c".utf8))
    for _ in 0..<10 { _ = client.stub.run(forAbout: 100_000) }
    _ = client.stub.take([3])
    _ = client.finish()
    _ = client.monitor("reset")
    for _ in 0..<50 { #expect(client.send("M800200,1:55") == ["E01"]) }
    let text = Client.console(client.send("s"))
    #expect(text == "The past of a live session cannot be changed.\n")
  }

  @Test func `No more changes are kept than so many, and one earlier drops those after it`() throws
  {
    var client = try Client()
    for count in 0..<70_000 {
      let answer = client.send("M800200,2:\(count % 2 == 0 ? "55aa" : "aa55")")
      if answer == ["E01"] { break }
    }
    #expect(client.stub.timeline.isFull && client.send("M800200,1:11") == ["E01"])
    #expect(Client.console(client.send("s")).contains("More changes are not kept"))
  }

  @Test func `What was changed is forgotten when the session begins again`() throws {
    var client = try Client()
    _ = client.monitor("goto 1ms")
    _ = client.send("M800300,1:55")
    _ = client.send("c")
    #expect(client.monitor("reset").contains("The debugger's changes are forgotten."))
    _ = client.send("c")
    #expect(client.send("m800300,1") == ["00"] && !client.stub.timeline.isForked)
  }

  @Test func `All registers are written, or none`() throws {
    var client = try Client()
    let registers = client.send("g")[0]
    let changed = "55" + registers.dropFirst(2).dropLast(8)
    #expect(client.send("G" + changed + "01000000") == ["E01"] && client.send("g") == [registers])
    #expect(client.send("G" + changed + "52010000") == ["OK"])
    #expect(client.send("g")[0].hasPrefix("55") && client.counter == 0x152)
  }

  @Test func `The session begins again without an answer, or with one`() throws {
    var client = try Client()
    _ = client.send("c")
    #expect(client.send("R00").isEmpty && client.stub.timeline.cycle < 10)
    _ = client.send("c")
    #expect(client.send("vRun;").map { Client.reason($0) } == ["T05 thread:1"])
    #expect(client.send("k").isEmpty && client.stub.ending == .killed)
    #expect(client.send("qC").isEmpty)
    var extended = try Client()
    #expect(extended.send("!") == ["OK"] && extended.send("k").isEmpty)
    #expect(extended.stub.ending == nil && extended.send("D;1") == ["OK"])
    #expect(extended.stub.ending == .detached)
  }

  @Test func `The next client finds nothing of the last one but its marks`() throws {
    var client = try Client(isLive: true)
    _ = client.send("QStartNoAckMode")
    _ = client.send("Z2,80010e,2")
    _ = client.monitor("mark here")
    _ = client.stub.take(PacketWriter.packet("Z1,152,2".utf8) + PacketWriter.packet("D".utf8))
    client.stub.beginAgain()
    #expect(client.stub.ending == nil && client.stub.timeline.breakpoints.isEmpty)
    #expect(client.stub.timeline.watchpoints.isEmpty)
    #expect(client.stub.take(PacketWriter.packet("c".utf8)) == [UInt8(ascii: "+")])
    client.stub.beginAgain()
    #expect(!client.stub.isRunning && !client.stub.timeline.isRunning)
    #expect(client.send("qC") == ["QC1"] && client.monitor("marks").contains("here"))
  }
}
