import Sketches
import Testing

struct CommandTests {
  @Test(arguments: [
    (Command.aim(0), "X0."), (.aim(180), "X180."), (.lost, "L"),
    (.tone(UInt8(ascii: "T")), "T"), (.query(UInt8(ascii: "?")), "?"),
  ])
  func `A command is written in the form that the sketches read`(command: Command, text: String) {
    #expect(command.bytes == Array(text.utf8))
  }
}
