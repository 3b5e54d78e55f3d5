import Serial

/// Drives a live bench that has no network: a loop around one wait.
enum LiveDriver {
  /// Lives until something ends it.
  static func run(_ bench: LiveBench) throws(Failure) -> SessionLife.Ending {
    defer { bench.close() }
    bench.begin()
    while true {
      if let ending = try bench.turn() { return ending }
      let needs = bench.needs
      let ready = Poller.wait(
        needs.descriptors + (needs.board.map { [$0] } ?? []), timeout: needs.timeout)
      bench.woke(isTimeout: ready.isEmpty, due: needs.due)
    }
  }
}
