/// Numbers the clients of a session from 1, in the order they came.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
  package var description: String { "\(number)" }
}
