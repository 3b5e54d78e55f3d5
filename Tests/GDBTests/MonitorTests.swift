import ChipDevice
import Sketches
import Testing
import Traces

@testable import GDB

struct MonitorTests {
  private static let inputs = [Event(.zero + .microseconds(100), .receive([0x58]))]

  @Test(arguments: [
    ("help", "last write VARIABLE"), ("", "goto 2.301s"), ("time", "0 s, cycle "),
    ("goto 1.5ms", "0.0015 s, cycle 24"), ("goto 3s", "There is no such moment: the session ends"),
    ("goto nowhere", "Expected a time such as 2.301s"),
    ("event 1", "event 1\n0.0001 s"),
    ("byte 1", "byte 1, `X`, arrived, and was lost (booting)\n0.001"),
    ("byte 1 lost", "byte 1, `X`, was lost (booting)\n0.001"),
    ("byte 1 read", "There is no such moment: byte 1, `X`, was lost (booting)."),
    ("byte 2", "There is no such moment: the session has 1 byte."), ("pulse 1", "0 pulses"),
    ("marks", "There are no marks"), ("back to start", "There is no such mark"),
    ("last write nothing", "Expected a global variable"), ("last write 0x900", "Expected a global"),
    ("pins", "D13 low"), ("servo", "No servo"), ("uart", "The serial port is off."),
    ("why", ""), ("singlestep", "A step does not end"), ("singlestep x", "Expected safe or"),
    ("reset", "0 s, cycle"), ("halt", ""), ("nonsense", "There is no such command"),
  ])
  func `A command answers with text`(command: String, text: String) throws {
    var client = try Client(inputs: Self.inputs)
    let shown = client.monitor(command)
    #expect(!shown.hasSuffix("NOT OK") && (text.isEmpty || shown.contains(text)), "\(shown)")
    #expect(!client.stub.isRunning && !client.stub.timeline.isForked)
  }

  @Test func `A moment is gone to, and a marked one again`() throws {
    var client = try Client()
    _ = client.monitor("goto 1ms")
    let cycle = client.stub.timeline.cycle
    #expect(client.monitor("mark here").contains("0.001 s"))
    _ = client.monitor("goto 1.5ms")
    #expect(client.stub.timeline.cycle > cycle)
    #expect(client.monitor("marks") == "0.001 s  here\n")
    #expect(client.monitor("back to here").contains("0.001 s"))
    #expect(client.stub.timeline.cycle == cycle)
    #expect(client.send("?").map { Client.reason($0) } == ["T05 thread:1"])
  }

  @Test(arguments: ["total", "0x80010e,2", "0x10e,2"])
  func `The last write of a variable is gone back to`(name: String) throws {
    var client = try Client()
    _ = client.monitor("goto 1ms")
    _ = client.send("Z0,152,2")
    #expect(
      client.monitor("last write \(name)").contains("The last write of \(name) is next."))
    // The instruction that stores the low byte is next.
    #expect(client.counter == 0x16A)
    #expect(client.stub.timeline.breakpoints == [0x152])
  }

  @Test func `A variable that was not written leaves the program where it is`() throws {
    var client = try Client()
    _ = client.monitor("goto 1ms")
    let cycle = client.stub.timeline.cycle
    let text = "The program has not written 0x800300 since the beginning."
    #expect(client.monitor("last write 0x800300").contains(text))
    #expect(client.stub.timeline.cycle == cycle)
  }

  @Test func `What the debugger itself has written is found as the last write`() throws {
    var client = try Client()
    _ = client.monitor("goto 1ms")
    let cycle = client.stub.timeline.cycle
    _ = client.send("M800300,1:55")
    _ = client.monitor("goto 1.5ms")
    #expect(client.monitor("last write 0x800300").contains("The debugger changed 0x800300 here"))
    #expect(client.stub.timeline.cycle == cycle)
  }

  @Test(arguments: ["byte 1", "why", "goto 1.9ms"])
  func `A client that waits no longer takes no answer`(command: String) throws {
    var client = try Client(inputs: Self.inputs)
    _ = client.send("Z0,152,2")
    _ = client.send("c")
    _ = client.send("c")
    let cycle = client.stub.timeline.cycle
    let text = String(decoding: HexText.bytes(command.utf8), as: UTF8.self)
    _ = client.stub.take(PacketWriter.packet("qRcmd,\(text)".utf8))
    #expect(client.stub.isRunning)
    #expect(client.send("qC") == ["QC1"] && client.stub.timeline.cycle == cycle)
    #expect(client.send("?").map { Client.reason($0) } == ["T05 thread:1"])
  }

  @Test(arguments: ["byte 1", "why"])
  func `A search through the session is told, and can be ended`(command: String) throws {
    var client = try Client(milliseconds: 2_000, inputs: Self.inputs)
    let text = String(decoding: HexText.bytes(command.utf8), as: UTF8.self)
    _ = client.stub.take(PacketWriter.packet("qRcmd,\(text)".utf8))
    _ = client.stub.run(forAbout: 1_000)
    let progress = Client.console(client.packets(in: client.stub.tellProgress()))
    #expect(progress.hasPrefix("Searching: ") && client.stub.isRunning, "\(progress)")
    _ = client.stub.take([3])
    #expect(Client.console(client.finish()) == "Interrupted.\n")
    #expect(client.stub.timeline.cycle < 10)
  }

  @Test func `A live session has no trace whose events could be counted`() throws {
    var client = try Client(isLive: true, inputs: Self.inputs)
    #expect(client.monitor("event 1").contains("has no trace"))
  }

  @Test func `A step ends in an interrupt only if that is requested`() throws {
    var client = try Client()
    func isHandled(_ pc: Int) -> Bool {
      pc == Client.Place.vector || (Client.Place.handler..<Client.Place.loop).contains(pc)
    }
    _ = client.send("Z0,152,2")
    _ = client.send("c")
    for _ in 0..<300 {
      _ = client.send("vCont;s:1")
      #expect(!isHandled(client.counter))
    }
    #expect(client.monitor("singlestep interruptible").contains("can end"))
    var count = 0
    for _ in 0..<300 {
      _ = client.send("vCont;s:1")
      if isHandled(client.counter) { count += 1 }
    }
    #expect(count > 0)
  }

  @Test func `What the processor did is told with the lines that ran`() throws {
    var client = try Client(inputs: Self.inputs)
    _ = client.monitor("goto 1.9ms")
    let text = client.monitor("why")
    #expect(text.contains("lost `X` (booting)"), "\(text)")
    #expect(text.contains("The last lines that ran") && text.contains("(stack.cpp:"))
  }
}
