extension Timing {
  /// All fields in order. The raw values are their names in a timing file.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case firstWrite, startUp, byteRead, purgeRead, angleWrite, pulseWrite, angleRead,
      bottomTurn, step, stepWrite, scanExit, toneSetUp, aimToneSetUp, toneLength, firstPulse,
      pulsePeriod
  }
}
