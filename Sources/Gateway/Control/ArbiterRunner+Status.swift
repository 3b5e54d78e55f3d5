import Log
import Networking
import Traces
import Turret

// The answers to status requests.
extension ArbiterRunner {
  package func metrics() -> String {
    var counts = counts
    counts.degrees = benchStatus.degrees
    return GatewayMetrics.text(
      counts, recording: benchStatus.recording, pictures: pictures?.counts, uptime: uptime,
      logLinesDropped: logWriter?.dropped ?? 0)
  }

  package func session() -> (@Sendable () -> [UInt8])? {
    traceKeeper?.recentTrace.map { trace in { trace.text } }
  }

  package func health() -> (json: String, isWell: Bool) {
    var health = Health(
      device: benchStatus.device, firmware: benchStatus.sketch ?? settings.firmware.rawValue)
    health.profile = settings.profile?.name
    health.set(counts)
    health.set(benchStatus)
    health.isDetectorReady = pictures?.counts.isReady
    health.allowsAnonymous = settings.allowsAnonymous
    health.uptime = uptime
    return (health.json, health.isWell)
  }
}
