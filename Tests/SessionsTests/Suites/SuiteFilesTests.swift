import Devices
import Engine
import Foundation
import Judging
import Sketches
import TestSupport
import Testing

@testable import Sessions

/// Scenario files in folders.
@Suite("Scenario files") struct SuiteFilesTests {
  private let files: TestFolder

  init() throws { files = try TestFolder() }

  private static func yaml(_ name: String) -> String {
    "name: \(name)\nsend: [[1.5, X45.]]\nexpect: [servo: 45]\n"
  }

  @Test func `A folder stands for the files below it in byte order of the path`() throws {
    for path in ["b.yaml", "a/z.yml", "a-b/x.yaml", "B.yml", ".github/ci.yml", "a/.x.yaml"] {
      try files.write(Self.yaml(path), path)
    }
    try files.write("no scenario", "notes.txt")
    let (tests, refused) = SuiteFiles.read([files.path("."), files.path("./b.yaml")])
    #expect(refused.isEmpty)
    #expect(
      tests.map(\.scenario.name) == ["B.yml", "a-b/x.yaml", "a/.x.yaml", "a/z.yml", "b.yaml"])
  }

  @Test func `A scenario is refused until its sender is filled in`() throws {
    try files.write("run: ./your-sender\nexpect:\n  - never: [swallowed]\n", "a.yaml")
    let refused = SuiteFiles.read([files.path("a.yaml")]).refused
    #expect(refused.map(\.status.rawValue) == [65])
    #expect(
      refused.first?.message.hasSuffix(
        "a.yaml:1:1: error: expected the command that starts your sender after \"run\", found "
          + "./your-sender, which stands for it; fill it in") == true, "\(refused)")
    // A sender of that name is one.
    try files.write("#!/bin/sh\n", "your-sender")
    #expect(SuiteFiles.read([files.path("a.yaml")]).refused.isEmpty)
  }

  @Test(arguments: [
    (
      "send: [[1.5, X45.]]\nexpct: []", 65,
      "a.yaml:2:1: error: \"expct\" is not known here; "
        + "did you mean \"expect\"?"
    ),
    ("a: [", 65, "a.yaml:2:1: error: expected a value"),
    ("", 65, "a.yaml: error: expected a scenario"),
  ])
  func `A file that is not a scenario is refused with its place`(
    yaml: String, status: Int32, message: String
  ) throws {
    try files.write(yaml, "a.yaml")
    try files.write(Self.yaml("b"), "b.yaml")
    let (tests, refused) = SuiteFiles.read([files.folder.path])
    #expect(tests.map(\.scenario.name) == ["b"])
    #expect(refused.map(\.status.rawValue) == [status])
    #expect(refused[0].message.contains(message), "\(refused[0].message)")
  }

  @Test func `All mistakes of a file are told at once, in its order`() throws {
    try files.write(
      """
      name: a
      firmwre: z
      run: x
      for: 5
      faults: [dorp:1%, reorder]
      expect:
        - servo: 190
        - never: [lsot, lost, jnk]
        - nver: lost
      ---
      name: b
      send: [[2, L], [1, L], [3, ""]]
      expect: [servo: 45]
      ---
      name: b
      expect: [servo: 45]
      ---
      name: c
      rig: {fces: []}
      """, "a.yaml")
    let refused = try #require(SuiteFiles.read([files.path("a.yaml")]).refused.first)
    let mistakes = refused.failure.mistakes
    #expect(
      mistakes.map { "\($0.place.line):\($0.place.column)" } == [
        "2:1", "4:6", "5:10", "5:19", "7:12", "8:13", "8:25", "9:5", "12:17", "12:28", "15:1",
        "18:1", "19:7",
      ], "\(refused.message)")
    #expect(refused.message.split(separator: "\n").count == mistakes.count)
  }

  @Test func `An unknown key can be the one that is missing, so only it is told`() throws {
    try files.write("rnu: x\nexpct: [servo: 45]\n", "a.yaml")
    let refused = try #require(SuiteFiles.read([files.path("a.yaml")]).refused.first)
    #expect(refused.failure.mistakes.map(\.place.line) == [1, 2])
  }

  @Test func `A mistake in the defaults is told once, however many scenarios have them`()
    throws
  {
    try files.write(
      """
      defaults:
        timeot: 5s
        timeout: 5
        expect: [servo: 190]
      scenarios:
        - send: [[1, L]]
        - send: [[1, L]]
      """, "a.yaml")
    let refused = try #require(SuiteFiles.read([files.path("a.yaml")]).refused.first)
    #expect(refused.failure.mistakes.map(\.place.line) == [2, 3, 4])
  }

  @Test func `A file of rules has the sketch and the speed of its scenario`() throws {
    try files.write("firmware: classic\nbaud: 4800\nrun: x\nexpect: [servo: 45]\n", "a.yaml")
    try files.write("- servo: 45\n", "b.yaml")
    for name in [nil, "a"] {
      let file = try RuleFile(path: files.path("a.yaml"), scenario: name)
      #expect(file.rules.count == 1)
      var stated = StatedSession()
      file.add(to: &stated)
      #expect(stated.firmware?.rawValue == "classic")
      #expect(SessionPlan(stated, on: ModelSource()).baud == 4_800)
    }
    let list = try RuleFile(path: files.path("b.yaml"))
    #expect(list.rules.count == 1)
    var stated = StatedSession()
    list.add(to: &stated)
    #expect(stated.firmware == nil)
    #expect(SessionPlan(stated, on: ModelSource()).baud == 9_600)
  }

  @Test func `A folder without scenarios and a missing file are no input`() throws {
    let paths = [files.folder.path, files.path("none.yaml")]
    let (tests, refused) = SuiteFiles.read(paths)
    #expect(tests.isEmpty)
    #expect(refused.map(\.status) == [.noInput, .noInput])
    #expect(
      refused[0].message == "\(paths[0]): error: there is no *.yaml or *.yml in this folder")
  }

  @Test(arguments: [
    ("scenarios/aim.yaml: Aims again!", "scenarios-aim-yaml-Aims-again"), ("°°", "scenario"),
    ("../../etc: a/b", "etc-a-b"),
    (
      String(repeating: "a", count: 300),
      String(repeating: "a", count: SuiteArtifacts.nameMax)
    ),
  ])
  func `A folder of artifacts has a name that every file system takes`(
    title: String, name: String
  ) {
    #expect(SuiteArtifacts.plain(title) == name)
  }

  @Test func `A folder of artifacts has nothing of an earlier suite`() throws {
    var result = SuiteResult(.failed([SuiteFailure("the sender ended with status 1")]))
    result.output.append(Array("can't open file".utf8))
    var first = try SuiteArtifacts(files.path("failed"))
    try first.write(result, "aims")
    result.output = ErrorTail(keeping: SuiteOutput.keptMax)
    var second = try SuiteArtifacts(files.path("failed"))
    try second.write(result, "aims")
    #expect(try names("failed/aims") == ["failure.txt"])
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: files.path(folder)).sorted()
  }

  @Test func `What a failure left is removed when its scenario passes, and nothing else`() throws {
    var result = SuiteResult(.failed([SuiteFailure("the sender ended with status 1")]))
    result.output.append(Array("can't open file".utf8))
    var first = try SuiteArtifacts(files.path("failed"))
    // The names of the folders differ, although only signs distinguish the titles.
    for title in [
      "a.yaml: aims", "a-yaml: aims", "a.yaml: aims (run 3)", "a.yaml: aims (run 4, seed 4)",
      "a.yaml: aims again",
    ] {
      try first.write(result, title)
    }
    try first.write(SuiteResult(.error(.unavailable, "error: none")), "b.yaml: b (c)")
    try files.write("mine", "failed/a-yaml-aims/notes.txt")
    try files.write("mine", "failed/a-yaml-aims-run-3/deeper/failure.txt")
    try files.write("FAILED  a.yaml: aims\n", "failed/other/failure.txt")
    try files.write("mine", "failed/other/trace.jsonl")

    var second = try SuiteArtifacts(files.path("failed"))
    second.clear("a.yaml: aims")
    #expect(try names("failed/a-yaml-aims") == ["notes.txt"])
    #expect(try names("failed/a-yaml-aims-run-3") == ["deeper"])
    #expect(try names("failed/a-yaml-aims-2") == ["failure.txt", "output.txt"])
    #expect(try names("failed/a-yaml-aims-again") == ["failure.txt", "output.txt"])
    // A line without a time is not one that the program wrote.
    #expect(try names("failed/other") == ["failure.txt", "trace.jsonl"])
    second.clear("b.yaml: b (c)")
    #expect(
      try names("failed") == [
        "a-yaml-aims", "a-yaml-aims-2", "a-yaml-aims-again", "a-yaml-aims-run-3", "other",
      ])
  }

  @Test func `A folder about another scenario is not written to`() throws {
    let result = SuiteResult(.failed([SuiteFailure("the sender ended with status 1")]))
    var first = try SuiteArtifacts(files.path("failed"))
    try first.write(result, "a.yaml: aims")
    var second = try SuiteArtifacts(files.path("failed"))
    try second.write(result, "a-yaml: aims")
    #expect(try names("failed") == ["a-yaml-aims", "a-yaml-aims-2"])
  }
}
