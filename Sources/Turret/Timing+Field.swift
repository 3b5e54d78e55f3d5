extension Timing {
  /// All fields in order; the raw values are their names in a timing's file.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case firstWrite, startUp, byteRead, purgeRead, angleWrite, pulseWrite, angleRead,
      bottomTurn, step, stepWrite, scanExit, toneSetUp, aimToneSetUp, toneLength, firstPulse,
      pulsePeriod
  }
}
