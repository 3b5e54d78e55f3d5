import Aim
import Testing

@Suite struct TurretCommandTests {
  @Test(
    arguments: [
      (0, "X0."), (9, "X9."), (90, "X90."), (100, "X100."), (180, "X180."), (-1, "X0."),
      (181, "X180."), (.max, "X180."), (.min, "X0."),
    ] as [(Int, String)])
  func `The command text limits angles to 0 to 180`(degrees: Int, text: String) {
    #expect(TurretCommand.aim(degrees).text == text)
  }

  @Test func `Only changed commands pass, and L passes once`() {
    var filter = CommandFilter()
    let commands: [TurretCommand] = [
      .lost, .lost, .aim(90), .aim(90), .aim(91), .lost, .lost, .aim(91), .aim(181), .aim(180),
    ]
    #expect(
      commands.compactMap { filter($0)?.text } == ["L", "X90.", "X91.", "L", "X91.", "X180."])
    #expect(filter(.aim(180)) == nil)
    filter.forget()
    #expect(filter(.aim(180))?.text == "X180.")
  }
}
