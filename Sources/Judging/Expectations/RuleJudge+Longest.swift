package import Devices
import Sketches
import Traces

/// One of the longest times of a session so far: see `RunNote`.
struct LongTime: Hashable, Sendable {
  var span: RunNote.Span
  var length: Interval
  var time: Instant
  var text: String
}

// How long interrupts were off, and how long a turn of the sketch's `loop` took.
extension RuleJudge {
  func decide(
    longest span: RunNote.Span, _ limit: Interval, _ record: SessionRecord
  ) -> Decision {
    let found = record.longest.first {
      $0.span == span && (span == .loop ? $0.length > limit : $0.length >= limit)
    }
    if let found {
      return fails([found.text + " at \(found.time.text)"], at: found.time, record)
    }
    guard record.end != nil else { return .open(until: nil) }
    // An interrupt of the core comes every millisecond.
    guard record.longest.contains(where: { $0.span == span }) else {
      return untested(
        span == .loop
          ? "the session shows no turn of loop"
          : "the session shows no stretch with interrupts off",
        record)
    }
    return .holds(after: place)
  }
}

extension RuleJudge {
  func decideMemory(_ record: SessionRecord) -> Decision {
    guard let fault = record.memoryFault else {
      return record.end == nil ? .open(until: nil) : .holds(after: place)
    }
    return fails(["\(fault.text) at \(fault.time.text)"], at: fault.time, record)
  }
}

extension SessionRecord {
  /// Returns why a byte was lost that arrived at an instant, as a note; nil if that is not known.
  /// An interrupt can drop it a little later.
  func reason(forLossAt instant: Instant) -> String? {
    reasons.first { $0.time >= instant && $0.time - instant < .milliseconds(1) }?.text
  }
}

extension SessionSetup {
  /// Records how the device's program runs, if it can.
  package mutating func record(on device: inout some Device) {
    device.recordRun(wholly: false)
    let capabilities = device.capabilities
    isRecorded = capabilities.recordsRuns
    findsLoop = capabilities.findsLoop
    findsVariables = capabilities.findsVariables
  }

  /// Why no rule about such a time can be judged; nil if one can.
  func objection(to span: RunNote.Span) -> String? {
    guard isRecorded else { return objection(to: span == .loop ? "loop" : "interrupts off") }
    guard span == .loop, !findsLoop else { return nil }
    return
      "\"loop\" cannot be judged: the program's file does not show where loop is. An .elf does; "
      + "with link-time optimization (-flto), one that was built with -g. If that does not, "
      + "declare loop with __attribute__((noinline))"
  }

  /// Why no rule about the memory can be judged; nil if one can.
  var objectionToMemory: String? {
    guard isRecorded else { return objection(to: "memory") }
    return findsVariables
      ? nil
      : "\"memory\" cannot be judged: the program's file does not show where its variables end. An "
        + ".elf with its symbols does"
  }

  private func objection(to word: String) -> String {
    "\"\(word)\" cannot be judged: only the emulated chip shows it (--device avr:FILE), in a "
      + "session that states the rule at its start"
  }
}
