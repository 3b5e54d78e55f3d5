/// What a device reports of how its program runs, if it is asked to: only the emulated chip can.
package enum RunNote: Hashable, Sendable {
  /// What a longest time is about.
  package enum Span: String, Hashable, Sendable, CaseIterable {
    /// A stretch in which interrupts were off, or one ran. The start-up before the program first
    /// switches them on does not count.
    case interruptsOff = "interrupts-off"
    /// A turn of the sketch's `loop`.
    case loop
  }

  /// What a correct program does not do. The raw value is the word in a trace.
  package enum MemoryFault: String, Hashable, Sendable, CaseIterable {
    /// The stack has grown into the heap, or into the variables.
    case stack
    /// It has jumped out of its code.
    case jump
    /// A function returns to elsewhere than where it was called.
    case wrongReturn = "return"
    /// An interrupt interrupts itself again and again without returning.
    case nested
    /// A value that was never set decides a branch, is used as an address, or is written to an I/O
    /// register.
    case unset
  }

  /// Why the byte was lost whose `lost` came last, as a sentence without its full stop.
  case why(String)
  /// The longest so far, and where it was: a sentence without its full stop. One that goes on is
  /// reported each time it has doubled.
  case longest(Span, Interval, String)
  /// Such a fault, and where it was: a sentence without its full stop.
  case memory(MemoryFault, String)
}

/// A note, and when it was made, in whole microseconds.
package struct TimedRunNote: Hashable, Sendable {
  package var time: Instant
  package var note: RunNote
}
