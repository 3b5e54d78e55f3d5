/// The result of parsing a client's bytes.
package enum Parsed: Hashable, Sendable {
  case command(Command)
  case refused(Refusal)
}
