/// What a client's bytes turned out to be.
package enum Parsed: Hashable, Sendable {
  case command(Command)
  case refused(Refusal)
}
