package import Devices
package import Sketches
package import Traces

/// What is on its way to a board through faults, which are not a part of it: a board without them
/// loads no code for them.
package struct DelayedInputs: Hashable, Sendable {
  /// What has arrived and has not been passed to the faults yet.
  var arrived: [Event] = []
  /// The number of bytes that the faults hold back.
  fileprivate(set) var count = 0
  /// When something reaches the board, or a fault strikes; nil if nothing does.
  fileprivate(set) var next: Instant?

  package init(_ faults: FaultyLine) { next = faults.nextDeadline }
}

extension LiveBoard {
  /// Passes what has arrived to the faults, and takes what they let through at once.
  package mutating func disturb(by faults: inout FaultyLine, _ emit: (Event) -> Void) {
    guard let arrived = delayed?.arrived, !arrived.isEmpty else { return }
    delayed?.arrived = []
    for event in arrived {
      take(from: &faults, by: event.time - .nanoseconds(1), emit)
      faults.take(event)
      take(from: &faults, by: event.time, emit)
    }
  }

  /// Takes what passes the faults by an instant.
  package mutating func take(
    from faults: inout FaultyLine, by instant: Instant, _ emit: (Event) -> Void
  ) {
    while let event = faults.next(by: instant) { take(listed: event, emit) }
    delayed?.count = faults.count
    delayed?.next = faults.nextDeadline
  }
}
