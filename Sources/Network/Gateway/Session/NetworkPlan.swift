package import Engine
package import Platform

/// What a session does with the network.
package struct NetworkPlan {
  /// Where it can be reached; nil for nowhere.
  package var server: ServerConfiguration?
  /// The phone that it follows; nil for none.
  package var follow: FollowPlan?
  package var arbiter: ArbiterSettings
  package var log: BenchLog

  package init(arbiter: ArbiterSettings, log: BenchLog) {
    self.arbiter = arbiter
    self.log = log
  }
}
