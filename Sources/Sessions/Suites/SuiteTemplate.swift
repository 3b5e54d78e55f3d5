import Devices
import Platform
package import Sketches
import SystemPackage

/// A first suite: the files that `init` writes.
package struct SuiteTemplate: Sendable {
  package struct File: Hashable, Sendable {
    package var path: String
    package var contents: String
  }

  /// The sketch on the user's board.
  package enum Sketch: Hashable, Sendable {
    /// One that has a model.
    case model(Firmware)
    /// A program of the user's own, by its path, and the sketch of the bench that it is; nil for
    /// another.
    case program(String, Firmware?)
  }

  /// Who runs the scenarios at each push.
  package enum Service: String, CaseIterable, Sendable {
    case github, gitlab, none
  }

  /// The folder of the scenarios.
  package let folder: String
  /// Nil if it was not stated. The scenarios are then for the published one, and ask for it.
  package var sketch: Sketch?
  package var service = Service.github
  /// Whether there is also a test for pytest.
  package var hasPytest = false
  /// Whether there are also files for editors that debug the program.
  package var hasDebugging = false

  package static let usualFolder = "scenarios"

  package init(folder: String) {
    var folder = folder
    while folder.count > 1, folder.last == "/" { folder.removeLast() }
    self.folder = folder
  }

  package var files: [File] {
    var files = [
      File(path: "\(folder)/bytes.yaml", contents: bytes),
      File(path: "\(folder)/sender.yaml", contents: session),
      File(path: "\(folder)/sender.sh", contents: Self.sender),
    ]
    if hasPytest { files.append(File(path: "\(folder)/test_sender.py", contents: pytest)) }
    if hasDebugging { files += debugging.files }
    switch service {
    case .github: files.append(File(path: Self.gitHubFile, contents: workflow))
    case .gitlab:
      files.append(File(path: Self.gitLabJob, contents: gitLab))
      files.append(File(path: Self.gitLabFile, contents: Self.gitLabInclude + "\n"))
    case .none: break
    }
    return files
  }

  private var debugging: DebugTemplate {
    guard case .program(let path, _)? = sketch else {
      return DebugTemplate(program: DebugTemplate.usualProgram)
    }
    return DebugTemplate(program: path)
  }

  /// What is left to do once the files are written, in lines; `kept` are the paths of those that
  /// were there already.
  package func next(kept: Set<String>) -> [String] {
    var lines: [String] = []
    if service == .gitlab, kept.contains(Self.gitLabFile) {
      lines.append("Add this line to \(Self.gitLabFile): \(Self.gitLabInclude)")
    }
    let job = service == .github ? Self.gitHubFile : Self.gitLabJob
    if service != .none, !kept.contains(job) {
      lines.append(
        "Write the account that has your copy of SentryBench instead of OWNER in \(job)")
    }
    let first = "\(folder)/bytes.yaml"
    if !kept.contains(first) {
      switch sketch {
      case nil:
        lines.append(
          "The scenarios are for the sketch \(firmware?.rawValue ?? ""); \(first) says how to tell "
            + "which one you have")
      case .program(_, nil)?:
        lines.append("Write commands of your sketch instead of X45. and X135. in these files")
      default: break
      }
    }
    if hasDebugging {
      if kept.contains(DebugTemplate.launchFile) {
        lines.append(
          "To add the configurations to your \(DebugTemplate.launchFile), copy them from that "
            + "which init --debug writes in an empty folder")
      } else if debugging.program == DebugTemplate.usualProgram {
        lines.append(
          "Write the path of your program instead of \(debugging.program) in "
            + DebugTemplate.launchFile)
      } else if debugging.program.hasSuffix(".hex") {
        lines.append(
          "A .hex has no names or lines: write the path of the .elf in \(DebugTemplate.launchFile)")
      }
      lines.append("To debug: \(debugging.command)")
    }
    return lines + ["Next: sentrybench test \(SuiteTest.shellWord(folder))"]
  }

  /// Writes the files that do not exist yet. Returns whether each was written.
  package func write() throws(Failure) -> [(file: File, isNew: Bool)] {
    var written: [(file: File, isNew: Bool)] = []
    for file in files { written.append((file, try Self.write(file))) }
    return written
  }

  private static func write(_ file: File) throws(Failure) -> Bool {
    do {
      if let slash = file.path.lastIndex(of: "/"), slash > file.path.startIndex {
        try OutputFolder.make(String(file.path[..<slash]))
      }
      let descriptor = try NewFile.create(file.path, permissions: .init(rawValue: 0o644))
      do {
        try descriptor.closeAfter { _ = try descriptor.writeAll(file.contents.utf8) }
      } catch {
        // Otherwise the next `init` would keep what a full disk has left of it.
        unlink(file.path)
        throw error
      }
      return true
    } catch Errno.fileExists {
      return false
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(writing: file.path, error)
    }
  }

  // MARK: The sketch

  /// The sketch of the bench that the scenarios are for; nil for another.
  private var firmware: Firmware? {
    switch sketch {
    case .model(let firmware)?: firmware
    case .program(_, let firmware)?: firmware
    case nil: .classic
    }
  }

  /// The program's path as a file in the folder names it; nil without a program.
  private var programPath: String? {
    guard case .program(let path, _)? = sketch else { return nil }
    if path.hasPrefix("/") { return path }
    let parts = folder.split(separator: "/").filter { $0 != "." }
    // From other folders, the way back is not known.
    guard !folder.hasPrefix("/"), !parts.contains("..") else {
      return WorkingFolder.absolute(path)
    }
    return String(repeating: "../", count: parts.count) + path
  }

  /// The lines of a scenario that name its sketch.
  private var sketchLines: String {
    var lines: [String] = []
    if let programPath { lines.append("device: \(Self.yaml("avr:" + programPath))") }
    // A program whose file has the sketch's name is known to be it.
    if let firmware { lines.append("firmware: \(firmware)") }
    return lines.joined(separator: "\n")
  }

  /// Says which sketches there are, as comments.
  private var choices: String {
    guard case .program(_, nil)? = sketch else {
      return """
        # Which sketch does your board have? Try these in a serial monitor, at 9600 baud and
        # without a line end. A beep needs a buzzer on the board.
        \(Firmware.allCases.map { "#   \($0): \($0.recognized)" }.joined(separator: "\n"))
        # Any other sketch runs on an emulated chip: sentrybench init --device avr:FILE, where
        # FILE is the .elf or .hex that the compiler has written.
        """
    }
    return """
      # Your sketch, as the compiler has written it, runs on an emulated chip. Write a command that
      # it understands instead of X45. here. The bench does not know its commands, so that no rule
      # can say that a byte was junk; a profile describes them (docs/guide/profiles.md of
      # SentryBench).
      """
  }

  // MARK: The scenarios

  private var bytes: String {
    var text = """
      # Bytes with their times in seconds, and what must happen. This runs in virtual time.
      #
      \(choices)

      """
    guard firmware != nil else {
      return text + """
        name: turns where it is told
        \(sketchLines)
        send: [[1.5, "X45."]]
        expect:
          - {servo: 45, within: 100ms, of: "X45."}

        """
    }
    text += """
      name: aims as soon as a command is complete
      \(sketchLines)
      send: [[1.5, "X45."], [2.0, "X110"], [2.1, "."]]
      expect:
        - {servo: 45, within: 50ms, of: "X45."}
        - {servo: 110, within: 150ms, of: "X110."}
        - never: [lost, junk, swallowed, abandoned]
      ---
      name: sweeps when it has no target
      \(sketchLines)
      send: [[1.5, "L"]]
      expect:
        - ends: {sweeping: yes}

      """
    return text
  }

  private var session: String {
    let rules =
      firmware == nil ? "" : "  - never: [lost, junk, swallowed, abandoned, refused]\n"
    return """
      # A program with a bench of its own. It starts in this folder and finds its port in
      # SENTRY_PORT. bytes.yaml says which sketch this is.
      name: the sender aims twice
      \(sketchLines)
      run: sh sender.sh
      timeout: 10s
      expect:
        - {servo: 45, of: "X45.", within: 200ms}
        - {servo: 135, of: "X135.", within: 200ms}
      \(rules)  - exit: 0

      """
  }

  private static let sender = """
    # Replace this with your own program.
    exec >"$SENTRY_PORT"
    # The sketch listens a second after the board has started.
    sleep 1.2
    printf X45.
    sleep 0.3
    printf X135.
    sleep 0.3

    """

  /// A test in Python. Its turret has the same sketch.
  private var pytest: String {
    var settings: [String] = []
    if let programPath {
      settings.append("device=\"avr:\" + str(HERE / \(Self.python(programPath)))")
    }
    if let firmware { settings.append("firmware=\"\(firmware)\"") }
    let rule =
      firmware == nil
      ? "" : "    turret.never(\"lost\", \"junk\", \"swallowed\", \"abandoned\")\n"
    return """
      \"\"\"A test of the sender with pytest. The turret's sketch listens when the test begins.

      Install the package first: pip install pytest, and the wheel of SentryBench.
      docs/guide/python.md of SentryBench describes it.
      \"\"\"

      import pathlib
      import subprocess

      import pytest

      HERE = pathlib.Path(__file__).resolve().parent


      # bytes.yaml says which sketch this is.
      @pytest.mark.turret(\(settings.joined(separator: ", ")))
      def test_the_sender_aims_twice(turret):
      \(rule)    sender = ["sh", "sender.sh"]
          subprocess.run(sender, cwd=HERE, env=turret.env, check=True, timeout=20)
          turret.expect(servo=45, within="200ms", of="X45.")
          turret.expect(servo=135, within="200ms", of="X135.")

      """
  }

  // MARK: Notation

  /// Returns a text as a value in YAML.
  private static func yaml(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }

  /// Returns a text as a literal in Python.
  private static func python(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  // MARK: CI

  private static let gitHubFile = ".github/workflows/sentrybench.yml"
  private static let gitLabFile = ".gitlab-ci.yml"
  private static let gitLabJob = ".gitlab/sentrybench.yml"
  private static let gitLabInclude = "include: {local: /\(gitLabJob)}"

  /// How long the first run takes, and what OWNER is, for each service.
  private static func notes(_ service: String) -> [String] {
    [
      "OWNER is the account on \(service) that has your copy of SentryBench: fork it, or push it",
      "there, and write that account's name instead.",
      "The first run builds the bench from those sources. The program alone takes about 5 minutes",
      "on two processors, and its pages are built after it. The result is kept for later runs.",
    ]
  }

  private var workflow: String {
    let notes = Self.notes("GitHub").map { "      # \($0)\n" }.joined()
    var text = """
      # Runs the scenarios. A failure is shown at its line and on the page of the run, where the
      # report can be downloaded as HTML.
      name: Turret
      on: [push, pull_request]

      jobs:
        scenarios:
          runs-on: ubuntu-latest
          container: swift:6.2
          timeout-minutes: 60
          steps:
            - uses: actions/checkout@v4
      \(notes)      - uses: OWNER/sentrybench@main
              id: bench
              with:
                path: \(Self.yaml(folder))

      """
    if hasPytest {
      text += """
              # The tests in Python, with the package that the step above has built.
              - if: ${{ !cancelled() && steps.bench.outputs.wheel }}
                env:
                  WHEEL: ${{ steps.bench.outputs.wheel }}
                run: |
                  python3 -m venv "$RUNNER_TEMP/pytest"
                  "$RUNNER_TEMP/pytest/bin/python" -m pip install -q "$WHEEL" pytest
                  "$RUNNER_TEMP/pytest/bin/python" -m pytest \(SuiteTest.shellWord(folder))

        """
    }
    return text
  }

  private var gitLab: String {
    let notes = Self.notes("this GitLab").map { "# \($0)\n" }.joined()
    var text = """
      # Runs the scenarios. Failures are listed in the merge request, and the report can be browsed
      # as HTML.
      #
      \(notes)include:
        - project: OWNER/sentrybench
          ref: main
          file: /examples/ci/gitlab/sentrybench.yml
      turret:
        extends: .sentrybench
        variables:
          SENTRYBENCH_SOURCE: $CI_SERVER_URL/OWNER/sentrybench
          SENTRYBENCH_PATH: \(Self.yaml(folder))

      """
    if hasPytest {
      text += """
          # Then the tests in Python, with the package that the job has built.
          script:
            - !reference [.sentrybench, script]
            - python -m pip install -q pytest
            - python -m pytest \(SuiteTest.shellWord(folder))

        """
    }
    return text
  }
}

extension Firmware {
  /// What shows that a board has the sketch, from what distinguishes it from the others.
  fileprivate var recognized: String {
    let letters = sketch.letters.keys.sorted().map { String(UnicodeScalar($0)) }
    let commands = (["X90."] + letters).joined(separator: " ")
    let answers = letters.filter { sketch.letter($0.utf8.first ?? 0) == .status }
    let tones = sketch.toneLetters.map { String(UnicodeScalar($0)) }
    let talks = answers.isEmpty ? "never answers" : "answers \(answers.joined(separator: " "))"
    let beeps = tones.isEmpty ? "never beeps" : "beeps at \(tones.joined(separator: " "))"
    return "\(origin); understands \(commands); \(talks), \(beeps)"
  }

  /// Where the sketch is from.
  private var origin: String {
    switch self {
    case .classic: "published with the article"
    case .buzzer: "its earlier prototype"
    case .guarded: "SentryBench's own"
    }
  }
}
