/// Makes the decisions about the connection to a target. All calls are made on its event loop.
protocol TargetLinkOwner: AnyObject {
  func take(_ event: TargetLink.Event)
}
