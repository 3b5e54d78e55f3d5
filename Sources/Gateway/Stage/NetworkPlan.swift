package import Log

/// What a session does with the network.
package struct NetworkPlan {
  /// Where it can be reached; nil for nowhere.
  package var server: ServerConfiguration?
  /// The phone that it follows; nil for none.
  package var follow: FollowPlan?
  package var door: DoorPlan
  package var log: BenchLog

  package init(door: DoorPlan, log: BenchLog) {
    self.door = door
    self.log = log
  }
}
