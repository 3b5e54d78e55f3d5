import Engine
import Sketches
import Testing

struct DisconnectActionTests {
  @Test(arguments: [
    (DisconnectAction.hold, nil), (.scan, Command.lost), (.centre, .aim(90)),
  ])
  func `Each disconnect action sends its command`(action: DisconnectAction, command: Command?) {
    #expect(action.command == command)
  }

  @Test func `Actions and policies are written as on the command line`() {
    #expect(DisconnectAction.allCases.map(\.rawValue) == ["hold", "scan", "centre"])
    #expect(ControlPolicy.allCases.map(\.rawValue) == ["first", "latest"])
  }
}
