package import Traces

/// An event of a trace and its line.
package struct Expectation: Hashable, Sendable {
  package var event: Event
  package var line: Int

  package init(_ event: Event, line: Int) {
    self.event = event
    self.line = line
  }
}
