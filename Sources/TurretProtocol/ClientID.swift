/// A number that identifies a client of a session. The first client to connect has number 1.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
  package var description: String { "\(number)" }
}
