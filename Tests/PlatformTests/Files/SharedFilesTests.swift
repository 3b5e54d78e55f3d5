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

  @Test(
    arguments: [
      ("phone", nil, .tree("/src"), "`make phone` in /src makes it"),
      ("playground", "", .tree("."), "`make playground` in . makes it"),
      ("dashboard", nil, .tree("/src"), "/src is not complete"),
      ("phone", "/opt/pages", .tree("/src"), "SENTRYBENCH_SHARE is /opt/pages"),
      ("dashboard", nil, .prefix("/usr/local"), "`make install PREFIX=/usr/local`"),
      ("phone", nil, .prefix("/opt"), "`make phone` and then `make install PREFIX=/opt`"),
      ("phone", nil, .wheel, "install the wheel again"),
      ("dashboard", nil, .archive, "unpack the tar.gz of sentrybench again"),
      ("dashboard", nil, .alone, "the wheel and the tar.gz of sentrybench include it"),
      ("phone", "/opt/pages", .alone, "SENTRYBENCH_SHARE is /opt/pages"),
      ("phone", "", .alone, "set SENTRYBENCH_SHARE to a folder"),
    ] as [(String, String?, Installation, String)])
  func `What to do fits how the program was installed`(
    _ name: String, _ set: String?, _ installation: Installation, _ text: String
  ) {
    let remedy = SharedFiles.remedy(forMissing: name, set: set, installation)
    #expect(remedy.contains(text))
    #expect(remedy.contains("make ") == text.contains("make "))
  }

  @Test(
    arguments: [
      ("/venv/lib/python3.12/site-packages/sentrybench/bin/sentrybench", [], .wheel),
      ("/usr/lib/python3/dist-packages/sentrybench/bin/sentrybench", [], .wheel),
      ("/usr/local/bin/sentrybench", ["/usr/local/share/sentrybench"], .prefix("/usr/local")),
      (
        "/usr/local/bin/sentrybench", ["/usr/local/share/man/man1/sentrybench.1"],
        .prefix("/usr/local")
      ),
      ("/opt/s/bin/sentrybench", ["/opt/s/share/sentrybench", "/opt/s/licenses"], .archive),
      ("/home/ada/bin/sentrybench", [], .alone), ("/srv/sentrybench", [], .alone),
      ("sentrybench", [], .alone),
    ] as [(String, Set<String>, Installation)])
  func `How the program was installed shows in what is near it`(
    _ program: String, _ files: Set<String>, _ installation: Installation
  ) {
    #expect(Installation(of: program) { files.contains($0) } == installation)
  }
}
