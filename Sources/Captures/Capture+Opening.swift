extension Capture {
  /// Examines a recording, which is one file, or several where a tool writes one for each channel.
  /// `inflate` opens compressed members.
  package init(
    _ files: [CaptureFile], _ options: CaptureOptions = .init(), inflate: Inflation? = nil
  ) throws(CaptureError) {
    throw CaptureError(.unknown, "expected a recording of a known kind")
  }
}
