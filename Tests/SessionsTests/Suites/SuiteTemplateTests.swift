import Devices
import Engine
import Judging
import Sketches
import TestSupport
import Testing

@testable import Sessions

/// The files that `init` writes, as values.
@Suite struct SuiteTemplateTests {
  private func template(
    _ sketch: SuiteTemplate.Sketch? = nil, _ service: SuiteTemplate.Service = .none,
    hasPytest: Bool = false
  ) -> SuiteTemplate {
    var template = SuiteTemplate(folder: "s/")
    template.sketch = sketch
    template.service = service
    template.hasPytest = hasPytest
    return template
  }

  private func text(_ name: String, of template: SuiteTemplate) -> String {
    template.files.first { $0.path.hasSuffix(name) }?.contents ?? ""
  }

  @Test(arguments: [nil] + Firmware.allCases.map { $0 })
  func `The scenarios pass on the sketch that they are for`(_ firmware: Firmware?) throws {
    let files = try TestFolder()
    for file in template(firmware.map { .model($0) }).files {
      try files.write(file.contents, file.path)
    }
    let (tests, refused) = SuiteFiles.read([files.path("s")])
    #expect(refused.isEmpty && tests.count == 3)
    #expect(tests.allSatisfy { $0.scenario.firmware == firmware ?? .classic })
    for test in tests where test.isVirtual {
      let session = VirtualSession(test: test, keepsTrace: false, updates: false)
      #expect(session.run(on: ModelSource()).outcome == .passed, "\(test.scenario.name)")
    }
  }

  @Test func `The comments say how to tell the sketches apart`() {
    let text = text("bytes.yaml", of: template())
    for line in [
      "classic: published with the article; understands X90. L; never answers, never beeps",
      "buzzer: its earlier prototype; understands X90. C L O T; never answers, beeps at T O C",
      "guarded: SentryBench's own; understands X90. ? C L O T V; answers ?, beeps at T O C",
    ] {
      #expect(text.contains("#   \(line)\n"))
    }
  }

  @Test(arguments: [
    ("s", "build/a.elf", "avr:../build/a.elf"), ("a/b//", "x.hex", "avr:../../x.hex"),
    ("./s", "x.hex", "avr:../x.hex"), ("s", "/x.hex", "avr:/x.hex"),
    ("s", "it's.hex", "avr:../it''s.hex"),
  ])
  func `A program is named as seen from the folder`(
    _ folder: String, _ path: String, _ named: String
  ) {
    var template = SuiteTemplate(folder: folder)
    template.sketch = .program(path, nil)
    template.service = .none
    for name in ["bytes.yaml", "sender.yaml"] {
      let text = text(name, of: template)
      #expect(text.contains("\ndevice: '\(named)'\n"))
      // What the commands of another sketch mean is not known.
      #expect(!text.contains("\nfirmware:") && !text.contains("never:"))
    }
  }

  @Test func `From a folder elsewhere, a program has its whole path`() {
    for folder in ["../s", "/s"] {
      var template = SuiteTemplate(folder: folder)
      template.sketch = .program("x.hex", .classic)
      let text = text("bytes.yaml", of: template)
      #expect(text.contains("device: 'avr:/") && text.contains("/x.hex'\nfirmware: classic\n"))
    }
  }

  @Test(arguments: SuiteTemplate.Service.allCases, [false, true])
  func `Each choice writes its files, and explains what is to be filled in`(
    _ service: SuiteTemplate.Service, _ hasPytest: Bool
  ) {
    let template = template(.model(.buzzer), service, hasPytest: hasPytest)
    var paths = ["s/bytes.yaml", "s/sender.yaml", "s/sender.sh"]
    if hasPytest { paths.append("s/test_sender.py") }
    switch service {
    case .github: paths.append(".github/workflows/sentrybench.yml")
    case .gitlab: paths += [".gitlab/sentrybench.yml", ".gitlab-ci.yml"]
    case .none: break
    }
    #expect(template.files.map(\.path) == paths)
    #expect(
      text("test_sender.py", of: template).contains("turret(firmware=\"buzzer\")") == hasPytest)
    let job = text("/sentrybench.yml", of: template)
    #expect(job.contains("pytest") == (hasPytest && service != .none))
    guard service != .none else { return }
    #expect(job.contains("# OWNER is the account on"))
    #expect(job.contains("# The first run builds the bench"))
    #expect(template.next(kept: []).first?.contains("instead of OWNER") == true)
    #expect(template.next(kept: Set(paths)).count == (service == .gitlab ? 2 : 1))
  }

  @Test func `Without a sketch, what is to be done names the one that was assumed`() {
    #expect(
      template().next(kept: []) == [
        "The scenarios are for the sketch classic; s/bytes.yaml says how to tell which one you "
          + "have", "Next: sentrybench test s",
      ])
    #expect(template(.model(.classic)).next(kept: []) == ["Next: sentrybench test s"])
    #expect(
      template(nil, .gitlab).next(kept: [".gitlab-ci.yml"]).first
        == "Add this line to .gitlab-ci.yml: include: {local: /.gitlab/sentrybench.yml}")
  }
}
