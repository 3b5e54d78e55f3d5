import Testing

@testable import Serial

struct PortCommandTests {
  private static let commands: [PortCommand] = [
    .signature([]), .signature(Array("ser2net".utf8)), .speed(0), .speed(9_600),
    .speed(0xFF00_FFFF), .dataSize(8), .parity(3), .stopSize(255), .control(8), .lineState(96),
    .lineState(nil), .modemState(176), .modemState(nil), .suspend, .resume, .lineStateMask(255),
    .modemStateMask(0), .purge(3),
  ]

  @Test(arguments: commands, [PortCommand.Sender.client, .server])
  func `What is written is read again`(_ command: PortCommand, _ sender: PortCommand.Sender) {
    let bytes = command.bytes(from: sender)
    let items = TelnetDecoderTests.items([bytes]).items
    guard items.count == 1, case .subnegotiation(44, let parameters) = items[0] else {
      Issue.record("\(items)")
      return
    }
    #expect(PortCommand(parameters, from: sender) == command)
    let other: PortCommand.Sender = sender == .client ? .server : .client
    #expect(PortCommand(parameters, from: other) == nil)
  }

  @Test(
    arguments: [[], [1], [1, 0, 0, 9], [2], [5], [12], [13, 1], [99], [200, 1]] as [[UInt8]])
  func `What is too short or unknown is no command`(_ parameters: [UInt8]) {
    #expect(PortCommand(parameters, from: .client) == nil)
  }
}
