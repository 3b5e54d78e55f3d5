import Gateway
import Testing
import TurretProtocol

struct DisconnectActionTests {
  @Test(arguments: [
    (DisconnectAction.hold, nil), (.scan, Command.lost), (.centre, .aim(90)),
  ])
  func `What is sent when nobody controls`(action: DisconnectAction, command: Command?) {
    #expect(action.command == command)
  }

  @Test func `The words on the command line`() {
    #expect(DisconnectAction.allCases.map(\.rawValue) == ["hold", "scan", "centre"])
    #expect(ControlPolicy.allCases.map(\.rawValue) == ["first", "latest"])
  }
}
