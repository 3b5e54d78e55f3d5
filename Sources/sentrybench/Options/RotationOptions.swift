import ArgumentParser
import Sessions
import Turret

/// Options for recording a session that runs for months.
struct RotationOptions: ParsableArguments {
  @Option(
    help: """
      Write the session to this file, for example session.jsonl. A new file is readable by its \
      owner only. Earlier recordings are kept: session.1.jsonl is the most recent of them. If the \
      file is deleted or moved, a new one is started within a second.
      """, completion: .file())
  var record: String?

  @Option(help: "Begin a new file when the recording is this large, in MB. Default: 64.")
  var recordMax: Int?

  @Option(help: "The number of earlier recordings to keep. Default: 5.")
  var recordKeep: Int?

  func validate() throws {
    if record == "-" { throw ValidationError("--record requires a file.") }
    if record == nil && (recordMax != nil || recordKeep != nil) {
      throw ValidationError("--record-max and --record-keep require --record.")
    }
    if let recordMax, !(1...1_000_000).contains(recordMax) {
      throw ValidationError("--record-max requires a number from 1 to 1000000.")
    }
    if let recordKeep, !(0...1_000).contains(recordKeep) {
      throw ValidationError("--record-keep requires a number from 0 to 1000.")
    }
  }

  var policy: RotationPolicy {
    var policy = RotationPolicy()
    if let recordMax { policy.bytesMax = Int64(recordMax) * 1_000_000 }
    if let recordKeep { policy.keep = recordKeep }
    return policy
  }
}
