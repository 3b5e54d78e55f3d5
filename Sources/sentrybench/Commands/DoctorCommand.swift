import ArgumentParser
import Sessions

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report what this computer has of the things that the bench uses.",
    discussion: """
      Looks for ptys, serial ports and their permissions, the web pages, the compiler and the core \
      for sketches, cameras, and other programs. For each that is missing or unusable, it says \
      what to do. The exit status is 0 if the bench can give a sender a port, whatever else is \
      missing; otherwise 1.
      """)

  @Flag(help: "Print one JSON object, which names neither the user nor the home folder.")
  var json = false

  func run() throws {
    let diagnosis = Diagnosis(of: .current(version: SentryBench.version))
    for line in json ? [diagnosis.json] : diagnosis.lines { try Console.write(line) }
    guard diagnosis.works else { throw Failure(diagnosis.status) }
  }
}
