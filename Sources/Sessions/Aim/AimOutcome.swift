import Gateway
import Traces
import Turret
import TurretProtocol

/// The delivery of commands to the target.
struct AimOutcome: Hashable {
  /// Whether a recording was played; false if its target was never connected.
  var wasPlayed = true
  /// Whether the target was ever connected.
  var wasThere = true
  /// The newest command, if it may not have arrived.
  var unsent: Command?
  /// The target's last error message.
  var refusal: String?
  /// Why there is no connection; empty if there is one or the reason is unknown.
  var trouble = ""

  /// What prevented commands from reaching the turret, and why; nil if nothing did.
  var problem: String? {
    let what: String
    if !wasPlayed {
      let patience = String(readable: AimLife.audiencePatience)
      what = "could not be reached within \(patience), and nothing was sent"
    } else if let unsent, wasThere {
      let command = String(decoding: unsent.bytes, as: UTF8.self)
      what = "the last command, \(command), may not have arrived"
    } else if unsent != nil {
      what = "was never reached, and no command was sent"
    } else if refusal != nil {
      what = "did not accept every command"
    } else {
      return nil
    }
    let why = unsent == nil && wasPlayed ? refusal ?? "" : trouble
    return why.isEmpty ? what : "\(what); \(why)"
  }
}
