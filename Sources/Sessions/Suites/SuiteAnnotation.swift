import Engine
package import Judging
import Pictures
import Platform
import Sketches
import SystemPackage
import Traces

/// A failure of a suite at its place in a file, as a CI server shows it next to the line.
package struct SuiteAnnotation: Hashable, Sendable {
  /// The scenario file's path.
  package var path: String
  /// Zero if no line is known.
  package var place: Notation.Place
  /// The scenario's name; that of the file if none of its scenarios could be read.
  package var title: String
  /// All lines, without the place.
  package var message: String

  init(_ path: String, _ place: Notation.Place, _ title: String, _ message: String) {
    // A CI server knows a file by its path in the repository.
    self.path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    self.place = place
    self.title = title
    self.message = message
  }

  /// A command for GitHub Actions, as one line.
  package var gitHubCommand: String {
    var properties = ["file=\(Self.escaped(path, isProperty: true))"]
    if place.line > 0 { properties.append("line=\(place.line)") }
    if place.column > 0 { properties.append("col=\(place.column)") }
    properties.append("title=\(Self.escaped(title, isProperty: true))")
    return "::error \(properties.joined(separator: ","))::\(Self.escaped(message))"
  }

  /// Replaces what would end a command or one of its properties.
  private static func escaped(_ text: String, isProperty: Bool = false) -> String {
    var escaped = ""
    for scalar in PlainText.lines(text).unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where isProperty: escaped += "%3A"
      case ",": escaped += isProperty ? "%2C" : ","
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// An entry of a Code Quality report, which GitLab reads.
  fileprivate var codeQuality: JSONValue {
    let line = message.prefix { $0 != "\n" }
    var lines = JSONText()
    lines.add("begin", max(1, place.line))
    var location = JSONText()
    location.add("path", path)
    location.add("lines", lines.value)
    var json = JSONText()
    json.add("description", "\(title): \(line)")
    json.add("check_name", "sentrybench")
    // The same in the next run, so that GitLab sees which failures are new.
    let identity = Array("\(path)\n\(title)\n\(place.line)\n\(place.column)".utf8)
    json.add("fingerprint", String(identity.fingerprint, radix: 16, digits: 16))
    json.add("severity", "major")
    json.add("location", location.value)
    return json.value
  }

  /// Returns a Code Quality report.
  package static func codeQuality(_ annotations: [SuiteAnnotation]) -> String {
    JSONValue.array(annotations.map { $0.codeQuality }).text + "\n"
  }
}

// What failed, for the pages of a CI server.
extension SuiteReport {
  /// The failures, each rule of a scenario once, however often it failed.
  package var annotations: [SuiteAnnotation] {
    var annotations: [SuiteAnnotation] = []
    var seen: Set<SuiteAnnotation> = []
    func add(_ path: String, _ place: Notation.Place, _ title: String, _ message: String) {
      let annotation = SuiteAnnotation(path, place, title, message)
      var key = annotation
      // Times differ from run to run.
      key.message = ""
      if seen.insert(key).inserted { annotations.append(annotation) }
    }
    for file in refused {
      for mistake in file.failure.mistakes {
        add(file.path, mistake.place, file.path, mistake.message)
      }
      if file.failure.mistakes.isEmpty {
        add(file.path, .init(), file.path, Self.unplaced(file.message, in: file.path))
      }
    }
    for (run, result) in zip(plan.runs, results) {
      let test = plan.tests[run.test]
      let (place, name) = (test.scenario.place, test.scenario.name)
      if case .error(_, let message) = result.outcome {
        add(test.path, place, name, Self.unplaced(message, in: test.path))
      }
      for failure in result.failures {
        add(
          test.path, Self.place(failure.place) ?? place, name,
          Self.unplaced(failure.text, in: failure.place))
      }
    }
    for (words, test, failure) in unmet {
      add(
        test.path, Self.place(failure.place) ?? test.scenario.place, test.scenario.name,
        "\(words): \(Self.unplaced(failure.text, in: failure.place))")
    }
    return annotations
  }

  /// Returns the line and the column at the end of a rule's place, `aim.yaml:9:5`; nil if there are
  /// none.
  private static func place(_ text: String) -> Notation.Place? {
    let parts = text.split(separator: ":").suffix(2).compactMap { Int($0) }
    return parts.count == 2 ? .init(line: parts[0], column: parts[1]) : nil
  }

  /// Returns a message without the place before it.
  private static func unplaced(_ message: String, in place: String) -> String {
    let start = "\(PlainText.escaped(place)): "
    return !place.isEmpty && message.hasPrefix(start)
      ? String(message.dropFirst(start.count)) : message
  }

  /// How many failures the summary of a job lists, and how many it shows in full.
  private static let (listedMax, shownMax) = (200, 20)

  /// A summary in Markdown, for the page of a job.
  package func markdown(in elapsed: Duration?) -> String {
    let lines = summary(in: elapsed).split(separator: "\n").map { String($0) }
    var text = "### \(Self.marked(lines.last ?? ""))\n\n"
    let annotations = annotations
    guard !annotations.isEmpty else { return text }
    text += "| scenario | place | what failed |\n|---|---|---|\n"
    for annotation in annotations.prefix(Self.listedMax) {
      let line = String(annotation.message.prefix { $0 != "\n" })
      var place = annotation.path
      if annotation.place.line > 0 { place += ":\(annotation.place.line)" }
      let cells = [annotation.title, place, line].map { Self.marked($0) }
      text += "| \(cells.joined(separator: " | ")) |\n"
    }
    let rest = annotations.count - Self.listedMax
    if rest > 0 { text += "\nand \(rest) more\n" }
    for annotation in annotations.prefix(Self.shownMax) where annotation.message.contains("\n") {
      let detail = annotation.message.split(separator: "\n", omittingEmptySubsequences: false)
        .map { XMLText.escaped(String($0)) }.joined(separator: "\n")
      text += "\n<details><summary>\(XMLText.escaped(annotation.title))</summary>\n\n"
      text += "<pre>\(detail)</pre>\n\n</details>\n"
    }
    return text + "\n"
  }

  /// Returns text without a meaning in Markdown.
  private static func marked(_ text: String) -> String {
    var marked = ""
    for scalar in PlainText.line(text).unicodeScalars {
      switch scalar {
      case "&", "<", ">", "|", "`", "*", "_", "[", "]", "\\", "~", "#", "@":
        marked += "&#\(scalar.value);"
      default: marked.unicodeScalars.append(scalar)
      }
    }
    return marked
  }
}

/// What GitHub Actions shows of a suite: annotations, and a summary on the page of the job.
enum GitHubJob {
  /// GitHub shows no more errors of a step.
  private static let annotationMax = 10

  static func show(_ report: SuiteReport, in elapsed: Duration) {
    for annotation in report.annotations.prefix(annotationMax) {
      Console.report(annotation.gitHubCommand)
    }
    guard let path = getenv("GITHUB_STEP_SUMMARY").map({ String(cString: $0) }), !path.isEmpty
    else { return }
    do {
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.append, .create, .closeOnExec],
        permissions: .init(rawValue: 0o644))
      try file.closeAfter {
        _ = try file.writeAll(report.markdown(in: elapsed).utf8)
      }
    } catch {
      // The results matter more than this page.
      Console.remark("\(path): the job's summary cannot be written: \(Errno.of(error))")
    }
  }
}
