package import Devices
package import Sketches
package import Traces

/// A sender, the board that it sends to, and what is expected of the session.
package struct Scenario: Hashable, Sendable {
  /// Where the scenario's profile is stated.
  package enum ProfileSource: Hashable, Sendable {
    /// In the scenario.
    case own(Profile)
    /// In a file, whose path is relative to that of the scenario; or the name of a sketch.
    case file(String)
  }

  package enum Sender: Hashable, Sendable {
    /// A command for the shell, in real time.
    case command(String)
    /// Bytes and inputs of the board, each with its time, in virtual time.
    case bytes([Sent])
    /// A face to follow, in virtual time: the mapping of a rig, or the path of its file.
    case rig(Notation)
  }

  package struct Sent: Hashable, Sendable {
    package var time: Instant
    /// `.receive` or `.input`.
    package var kind: Event.Kind

    package init(_ time: Instant, _ kind: Event.Kind) {
      self.time = time
      self.kind = kind
    }
  }

  package var name: String
  /// Where the scenario begins in its file.
  package var place: Notation.Place
  /// The sketch; nil for the default.
  package var firmware: Firmware?
  /// The sketch's commands and pins; nil for those of the firmware.
  package var profile: ProfileSource?
  /// The device as on the command line, for example `avr:build/my.elf`; nil for the model.
  package var device: String?
  /// Further options of the device, as on the command line, for example `--rx-pin=D10`.
  package var options: [String] = []
  /// The board's speed, in bits a second; nil for the default.
  package var baud: Int?
  package var sender: Sender
  /// Where the command finds the pty, besides SENTRY_PORT; nil for nowhere else.
  package var pty: String?
  /// How long the command, or the computing of a session in virtual time, can take; nil for the
  /// default, zero for any time.
  package var timeout: Interval?
  /// How long the session lasts if nothing else ends it; nil if only the sender ends it.
  package var length: Interval?
  /// The faults on the sender's line, in order, and their seed; nil for the default.
  package var faults: [FaultSpec] = []
  package var seed: UInt64?
  package var rules: [Rule]

  /// Whether the sender is a command, which runs in real time.
  package var hasProcess: Bool { if case .command = sender { true } else { false } }
}

// The session of a scenario that sends bytes in virtual time.
extension Scenario {
  /// Returns when the last byte has left the line, and the last input was made; zero if the sender
  /// is a command.
  package func sentEnd(baud: Int) -> Instant {
    guard case .bytes(let sent) = sender else { return .zero }
    let byteTime = ByteClock.byteTime(baud: baud)
    var free = Instant.zero
    for record in sent {
      guard case .receive(let bytes) = record.kind else {
        free = max(free, record.time)
        continue
      }
      let length = byteTime.nanoseconds * Int64(bytes.count)
      free = max(free, record.time) + Interval(nanoseconds: length)
    }
    return free
  }
}
