import Judging
import Sketches
import Testing

@testable import Sessions

struct PortHintsTests {
  @Test func `A sketch of the bench is shown its commands`() {
    let lines = PortHints.lines(for: "/tmp/p", nil)
    #expect(lines.last == "printf X135. > /tmp/p")
  }

  @Test(arguments: [
    ([], #"printf 'text\n' > /tmp/p"#),
    ([#"F\n"#, #"P{pan:0..180}\n"#], #"printf 'P90\n' > /tmp/p"#),
    ([#"100%'\\\x84{pause}"#], #"printf '100%%\047\134\204' > /tmp/p"#),
  ])
  func `A sketch of one's own is shown a command of its profile, or a text`(
    _ commands: [String], _ line: String
  ) throws {
    let profile = Profile(name: "own", commands: try commands.map { try CommandForm($0) })
    #expect(PortHints.lines(for: "/tmp/p", profile) == [line])
  }
}
