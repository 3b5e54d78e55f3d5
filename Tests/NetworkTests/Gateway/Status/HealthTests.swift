import Engine
import Sketches
import Testing

@testable import Network

struct HealthTests {
  @Test func `A healthy gateway is reported as such`() {
    var counts = GatewayCounts()
    counts.joined(.webSocket)
    counts.joined(.tcp)
    counts.joined(.watcher)
    counts.hasController = true
    var health = Health(status: BenchStatus(device: "model"), firmware: "guarded", counts: counts)
    health.uptime = .microseconds(61_234_567)
    health.status.recording = RecordingHealth(file: "s \"1\".jsonl", part: 2, bytes: 77)
    #expect(health.isWell)
    #expect(
      health.json == """
        {"status": "ok", "device": "model", "firmware": "guarded", "profile": null, \
        "board": true, "controller": true, \
        "clients": 2, "watchers": 1, "anonymous": null, "recording": {"file": "s \\"1\\".jsonl", \
        "part": 2, "bytes": 77, "lost_events": 0, "failure": null}, "detector": null, \
        "uptime_seconds": 61.234, "problems": []}\n
        """)
  }

  @Test(arguments: [
    (nil, nil, true), ("The board is gone.", nil, false), (nil, "The disk is full.", false),
    ("The board is gone.", "The disk is full.", false),
  ])
  func `A missing board or failed recording is reported as unhealthy, with the reason`(
    board: String?, disk: String?, isWell: Bool
  ) {
    var health = Health(
      status: BenchStatus(device: "serial:/dev/ttyACM0"), firmware: "classic")
    health.status.boardFailure = board
    health.status.recording = RecordingHealth(file: "s.jsonl", failure: disk)
    #expect(health.isWell == isWell)
    #expect(health.problems == [board, disk].compactMap { $0 })
    #expect(health.json.contains(isWell ? "\"status\": \"ok\"" : "\"status\": \"degraded\""))
    #expect(health.json.contains("\"board\": \(board == nil)"))
    for problem in health.problems { #expect(health.json.contains("\"\(problem)\"")) }
  }

  @Test func `A sketch of one's own has the name of its profile`() {
    var health = Health(
      status: BenchStatus(device: "serial:/dev/ttyACM0"), firmware: "guarded")
    health.profile = "pan-tilt"
    #expect(health.json.contains(#""profile": "pan-tilt""#))
  }

  @Test(arguments: [(nil, "null"), (true, "\"ready\""), (false, "\"away\"")])
  func `A detector is reported, and a gateway without it is healthy`(
    isReady: Bool?, text: String
  ) {
    var health = Health(status: BenchStatus(device: "model"), firmware: "guarded")
    health.isDetectorReady = isReady
    #expect(health.isWell)
    #expect(health.json.contains("\"detector\": \(text), "))
  }

  @Test func `A gateway that accepts any client reports it`() {
    var health = Health(status: BenchStatus(device: "model"), firmware: "guarded")
    health.allowsAnonymous = true
    #expect(health.isWell)
    #expect(health.json.contains("\"anonymous\": \"allowed (--allow anonymous)\""))
    #expect(health.json.contains("\"recording\": null"))
  }
}
