import Testing
import TurretProtocol

@testable import Clients

struct WaitingCommandsTests {
  @Test(arguments: [
    ([], []), (["X1."], ["X1."]), (["X1.", "X2.", "X3."], ["X3."]), (["L", "L"], ["L"]),
    (["X1.", "L"], ["X1.", "L"]), (["X1.", "L", "X2."], ["L", "X2."]),
    (["L", "X1.", "L"], ["X1.", "L"]), (["X1.", "L", "X2.", "L", "X3.", "X4."], ["L", "X4."]),
  ])
  func `The newest aim and the newest L keep their order while they wait`(
    put: [String], left: [String]
  ) {
    var waiting = WaitingCommands()
    let replaced = put.count { waiting.put(Command(text: $0)) }
    #expect(replaced == put.count - left.count)
    #expect(waiting.count == left.count)
    var taken: [String] = []
    while let command = waiting.next() {
      taken.append(String(decoding: command.bytes, as: UTF8.self))
    }
    #expect(taken == left && waiting.isEmpty)
  }
}
