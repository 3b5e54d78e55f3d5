import ArgumentParser
import Sessions
import Turret

/// How a session that goes on for months is written down.
struct RotationOptions: ParsableArguments {
  @Option(
    help: """
      Write the session to this file, session.jsonl say; a new one is for its owner only. What is \
      in it from before is kept beside it: session.1.jsonl is the newest of the older ones. If it \
      is deleted or moved, it is begun anew within a second.
      """)
  var record: String?

  @Option(help: "Begin the recording anew when it is this large, MB. Default: 64.")
  var recordMax: Int?

  @Option(help: "How many older recordings are kept. Default: 5.")
  var recordKeep: Int?

  func validate() throws {
    if record == "-" { throw ValidationError("--record takes a file.") }
    if record == nil && (recordMax != nil || recordKeep != nil) {
      throw ValidationError("--record-max and --record-keep go with --record.")
    }
    if let recordMax, !(1...1_000_000).contains(recordMax) {
      throw ValidationError("--record-max takes 1 to 1000000.")
    }
    if let recordKeep, !(0...1_000).contains(recordKeep) {
      throw ValidationError("--record-keep takes 0 to 1000.")
    }
  }

  var policy: RotationPolicy {
    var policy = RotationPolicy()
    if let recordMax { policy.bytesMax = Int64(recordMax) * 1_000_000 }
    if let recordKeep { policy.keep = recordKeep }
    return policy
  }
}
