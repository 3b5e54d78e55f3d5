/// The robot vision phone to follow, and how.
package struct FollowPlan: Sendable {
  package var endpoint: Endpoint
  package var settings: FollowSettings

  package init(endpoint: Endpoint, settings: FollowSettings) {
    self.endpoint = endpoint
    self.settings = settings
  }
}
