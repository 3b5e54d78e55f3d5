import Aim
import Testing

@testable import TurretLink

struct LinkCommandTests {
  @Test(
    arguments: [
      (.aim(90), Array("X90.".utf8), .aim), (.lost, Array("L".utf8), .lost),
      (.lost(Array("S\n".utf8)), Array("S\n".utf8), .lost),
      (.shot(Array("F".utf8)), Array("F".utf8), .passing),
    ] as [(TurretCommand, [UInt8], LinkCommand.Kind)])
  func `A command is sent as its bytes, and a shot never waits`(
    command: TurretCommand, bytes: [UInt8], kind: LinkCommand.Kind
  ) {
    #expect(LinkCommand(command) == LinkCommand(bytes, kind))
  }

  @Test func `Bytes that are not text stay as they are`() throws {
    let template = try CommandTemplate("0xFF {pan:u8} {tilt:u8}")
    let command = LinkCommand(.aim(Angles(x: 90, y: 45), by: template))
    #expect(command == LinkCommand([0xFF, 90, 45], .aim))
  }
}
