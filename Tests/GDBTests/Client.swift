import AVR
import ChipDevice
import Foundation
import Sketches
import Testing
import Traces

@testable import GDB

/// A client of a stub, without a socket.
struct Client {
  /// Where `stack.cpp` has what the tests are about.
  enum Place {
    static let add = 0xA6
    static let vector = 0x40
    static let handler = 0xFA
    static let loop = 0x152
  }

  var stub: GDBStub
  private var reader = PacketReader()

  /// `stack.cpp`, which calls `loop` all the time, with an interrupt every 16 us.
  private static let program = Result {
    var folder = URL(filePath: #filePath)
    for _ in 0..<2 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "AVRTests/Debugged/stack-2.elf")
    let image = try ProgramImage(contents: Array(Data(contentsOf: file)), name: "stack.elf")
    let program = AVRProgram(image, name: "stack.elf")
    return (source: AVRSource(program), map: program.sourceMap)
  }

  init(milliseconds: Int64 = 2, isLive: Bool = false, inputs: [Event] = []) throws {
    let (source, map) = try Self.program.get()
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    let end = Instant.zero + .milliseconds(milliseconds)
    stub = GDBStub(
      ChipTimeline(
        source, header, inputs: inputs, end: end, isLive: isLive, memoryMax: 1 << 24),
      SessionMoments(source, header, events: inputs, end: end, isLive: isLive), map)
  }

  /// Sends a packet and runs the program as long as it does. Returns the data of the packets that
  /// come back.
  mutating func send(_ text: String) -> [String] { send(Array(text.utf8)) }

  mutating func send(_ data: [UInt8]) -> [String] {
    let bytes = stub.take(PacketWriter.packet(data))
    return packets(in: bytes) + finish()
  }

  /// Runs the program as long as it does.
  mutating func finish() -> [String] {
    var packets: [String] = []
    var turns = 0
    while stub.isRunning, turns < 10_000 {
      packets += self.packets(in: stub.run(forAbout: 100_000))
      turns += 1
    }
    return packets
  }

  mutating func packets(in bytes: [UInt8]) -> [String] {
    bytes.compactMap { byte in
      guard case .packet(let data) = reader.take(byte) else { return nil }
      return String(decoding: data, as: UTF8.self)
    }
  }

  /// Sends a command to the monitor. Returns what it shows.
  mutating func monitor(_ command: String) -> String {
    let packets = send("qRcmd," + String(decoding: HexText.bytes(command.utf8), as: UTF8.self))
    return Self.console(packets) + (packets.last == "OK" ? "" : "NOT OK")
  }

  /// What packets show on the client's console.
  static func console(_ packets: [String]) -> String {
    packets.filter { $0.hasPrefix("O") && $0 != "OK" }
      .map { String(decoding: HexText.decode($0.dropFirst().utf8) ?? [], as: UTF8.self) }.joined()
  }

  /// Why a stop reply says that the program stands still, with its signal and without registers.
  static func reason(_ packet: String) -> String {
    // Registers have numbers of two digits.
    let fields = packet.dropFirst(3).split(separator: ";").filter {
      ($0.utf8.firstIndex(of: UInt8(ascii: ":")) ?? $0.startIndex)
        > $0.index($0.startIndex, offsetBy: 2)
    }
    return ([packet.prefix(3)] + fields).joined(separator: " ")
  }

  /// The byte address of the next instruction.
  var counter: Int { Int(stub.timeline.programCounter) }
}
