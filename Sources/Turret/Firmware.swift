/// The sketches whose behaviour the bench knows; the raw value is the word in a trace's header.
package enum Firmware: String, Hashable, Sendable, CaseIterable {
  case classic, buzzer, guarded
}
