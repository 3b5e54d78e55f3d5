import Testing
import Traces

@testable import Platform

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

  @Test func `A folder that is missing is reported with what to do`() {
    let error = #expect(throws: TraceError.self) {
      try SharedFiles.folder(named: "no-such-pages")
    }
    #expect(error?.code == .noInput)
    let remedy = SharedFiles.remedy(forMissing: "no-such-pages")
    #expect(error?.message == "there is no such folder: \(remedy)")
  }

  @Test(arguments: [
    ("phone", nil, "/src", "`make phone` in /src makes it"),
    ("playground", "", ".", "`make playground` in . makes it"),
    ("dashboard", nil, "/src", "/src is not complete"),
    ("phone", "/opt/pages", "/src", "SENTRYBENCH_SHARE is /opt/pages"),
    ("dashboard", nil, nil, "the wheel and the tar.gz of sentrybench include it"),
    ("phone", "/opt/pages", nil, "SENTRYBENCH_SHARE is /opt/pages"),
    ("phone", "", nil, "set SENTRYBENCH_SHARE to a folder"),
  ])
  func `A command of the source tree is named only where there is one`(
    _ name: String, _ set: String?, _ tree: String?, _ text: String
  ) {
    let remedy = SharedFiles.remedy(forMissing: name, set: set, tree: tree)
    #expect(remedy.contains(text))
    #expect(remedy.contains("make ") == text.contains("make "))
  }
}
