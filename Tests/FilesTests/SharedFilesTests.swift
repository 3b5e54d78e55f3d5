import Testing
import Traces

@testable import Files

struct SharedFilesTests {
  @Test(arguments: [
    (nil, "/usr/bin/sentrybench", ["/usr/bin/../share/sentrybench/dashboard"]),
    ("", "/usr/bin/sentrybench", ["/usr/bin/../share/sentrybench/dashboard"]),
    ("/opt/pages", "/usr/bin/sentrybench", ["/opt/pages/dashboard"]),
    ("/opt/pages", "/src/.build/debug/sentrybench", ["/opt/pages/dashboard"]),
    (
      nil, "/src/.build/install/x86_64-unknown-linux-gnu/release/sentrybench",
      [
        "/src/.build/install/x86_64-unknown-linux-gnu/release/../share/sentrybench/dashboard",
        "/src/web/dashboard",
      ]
    ),
    (
      nil, ".build/debug/sentrybench",
      [".build/debug/../share/sentrybench/dashboard", "web/dashboard"]
    ),
    (nil, "sentrybench", ["./../share/sentrybench/dashboard"]),
  ])
  func `Pages are where the variable says, next to the program, or in its source tree`(
    _ set: String?, _ program: String, _ places: [String]
  ) {
    #expect(SharedFiles.places(of: "dashboard", set: set, program: program) == places)
  }

  @Test(arguments: ["phone", "playground"])
  func `A page that is compiled is where it is made in a source tree`(_ name: String) {
    let places = SharedFiles.places(
      of: name, set: nil, program: "/src/.build/install/release/sentrybench")
    #expect(places.last == "/src/.build/\(name)")
  }

  @Test func `A folder that is missing is reported with the target that makes it`() {
    let error = #expect(throws: TraceError.self) {
      try SharedFiles.folder(named: "no-such-pages")
    }
    #expect(error?.code == .noInput)
    #expect(error?.message.contains("`make install` in the source tree makes it") == true)
  }
}
