import Devices
package import Judging
package import Sketches
package import Traces

// A session whose time passes only while its client waits for an answer, or requests it.
extension Session {
  /// `name` is the device's.
  package init(inVirtualTime start: SessionStart<D>, on name: String) {
    var setting = APISetting(header: start.header, setup: start.setup, device: name)
    setting.capabilities = start.device.capabilities
    setting.isVirtual = true
    self.init(start)
    serve(APISession(setting))
  }

  /// When something happens next; nil if nothing will.
  package var nextInstant: Instant? {
    let deadlines = [board.nextDeadline, clientDeadline]
    guard let next = deadlines.compactMap({ $0 }).min(), board.fault == nil else { return nil }
    return max(next, now + .microseconds(1)).roundedUpToMicrosecond
  }

  /// Lets time pass. No program reads what the board sends, except as events.
  package mutating func pass(to instant: Instant, _ emit: (Event) -> Void) {
    advance(to: instant, emit)
    _ = deliver(at: now, isCounted: true, pty: nil, remote: nil, emit)
  }

  /// Opens the traces that a client's rule names. Returns why the rule is refused; nil if it is
  /// judged.
  package mutating func openTraces(
    of rule: Rule, for id: APIRequest.ID,
    _ open: (String) throws(TraceError) -> TraceReader, _ emit: (Event) -> Void
  ) -> APIMessage? {
    guard let setup = clientSetting?.setup else { return nil }
    do throws(TraceError) {
      let rules = try SessionRules([rule], setup) { (path) throws(TraceError) in
        var reader = try open(path)
        try reader.limit(
          to: SessionLimit(remedy: "a live session cannot be judged by a longer one"))
        return reader
      }
      take(.traces(rules, for: id), at: now, emit)
      return nil
    } catch {
      return .refusal(APIRequest.Mistake(id: id, message: error.description))
    }
  }
}
