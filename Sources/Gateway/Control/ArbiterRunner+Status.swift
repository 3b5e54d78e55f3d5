import Networking

// The answers to status requests.
extension ArbiterRunner {
  package func metrics() -> String {
    let status = benchStatus()
    var counts = counts
    counts.degrees = status.degrees
    return GatewayMetrics.text(
      counts, recording: status.recording, uptime: uptime,
      logLinesDropped: status.logLinesDropped)
  }

  package func health() -> (json: String, isWell: Bool) {
    let status = benchStatus()
    var health = Health(device: status.device, firmware: settings.firmware)
    health.set(counts)
    health.set(status)
    health.allowsAnonymous = settings.allowsAnonymous
    health.uptime = uptime
    return (health.json, health.isWell)
  }
}
