import ChipDevice
import TestSupport
import Testing

@testable import GDB

struct HostileBytesTests {
  /// What clients send, to be changed.
  private static let packets = [
    "g", "G00", "p22", "P22=00000000", "P10=2a", "m800100,10", "x0,10", "M800100,2:0102",
    "X800100,2:ab", "Z0,a6,2", "Z1,152,2", "Z2,80010e,2", "Z3,80010e,2", "Z4,80010e,2",
    "z0,a6,2", "z2,80010e,2", "c", "s", "C05", "S05", "bs", "bc", "vCont?", "vCont;c:1",
    "vCont;s:1;c", "vCont;r152,178:1", "vCont;t", "vFlashErase:0,80", "vFlashWrite:0:abc",
    "vFlashDone", "qSupported:swbreak+;hwbreak+", "qfThreadInfo", "qC", "Hg0", "T1", "?", "!",
    "R00",
    "vRun;", "qXfer:features:read:target.xml:0,ffb", "qXfer:memory-map:read::0,ffb",
  ]
  private static let commands = [
    "time", "goto 1ms", "event 1", "byte 1 read", "mark x", "marks", "back to x", "pins", "servo",
    "uart", "last write total", "last write 0x800100,2", "singlestep interruptible", "reset",
  ]

  @Test(arguments: Seeds.first(20))
  func `Whatever a client sends, it is answered or ignored, and limited`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var client = try Client(milliseconds: 1)
    for _ in 0..<60 where client.stub.ending == nil {
      var bytes: [UInt8]
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        bytes = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
          UInt8.random(in: .min ... .max, using: &generator)
        }
      case 1:
        let text = Self.commands.randomElement(using: &generator)!
        bytes = PacketWriter.packet(Array("qRcmd,".utf8) + HexText.bytes(text.utf8))
      default:
        var data = Array(Self.packets.randomElement(using: &generator)!.utf8)
        for _ in 0..<Int.random(in: 0..<3, using: &generator) where !data.isEmpty {
          let index = Int.random(in: data.indices, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: data[index] = UInt8.random(in: .min ... .max, using: &generator)
          case 1: data.remove(at: index)
          default: data.insert(contentsOf: data[index...].prefix(4), at: index)
          }
        }
        bytes = PacketWriter.packet(data)
        if Int.random(in: 0..<16, using: &generator) == 0 { bytes.removeLast() }
      }
      let answer = client.stub.take(bytes)
      #expect(answer.count <= 4 * PacketReader.packetMax * (bytes.count / 4 + 1))
      for _ in 0..<50 where client.stub.isRunning {
        #expect(client.stub.run(forAbout: 20_000).count <= 100 * PacketReader.packetMax)
      }
      if client.stub.isRunning {
        _ = client.stub.take([3])
        _ = client.finish()
      }
      #expect(!client.stub.isRunning)
    }
  }

  @Test func `A packet without an end needs no more memory than the longest one`() throws {
    var client = try Client()
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 1 << 16)
    _ = client.stub.take([UInt8(ascii: "$")])
    for _ in 0..<16 { #expect(client.stub.take(zeros).isEmpty) }
    #expect(client.stub.take(Array("#00$qC#b4".utf8)) == Array("+$E01#a6+$QC1#c5".utf8))
  }
}
