/// What a session has to do with the network.
package struct NetworkPlan {
  /// Where it is to be reached; nil: nowhere.
  package var server: ServerConfiguration?
  /// Whom it follows; nil: nobody.
  package var follow: FollowPlan?
  package var door: DoorPlan
  package var log: BenchLog

  package init(door: DoorPlan, log: BenchLog) {
    self.door = door
    self.log = log
  }
}
