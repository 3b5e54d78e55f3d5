import Engine
import Sketches
import TestSupport
import Testing

@testable import Network

struct PrometheusTextTests {
  private static var busy: GatewayCounts {
    var counts = GatewayCounts()
    for kind in [GatewayCounts.ClientKind.webSocket, .webSocket, .tcp, .watcher] {
      counts.joined(kind)
    }
    counts.left(.webSocket)
    counts.received(bytes: 4)
    counts.received(bytes: 5)
    counts.accepted = [.aim: 7, .lost: 2]
    counts.refused = [.notACommand: 3]
    counts.queue.replaced = 4
    counts.queue.merged = 1
    counts.queue.overflowed = 6
    counts.dropped = [.controlLost: 3]
    counts.own = 2
    counts.sent = 5
    counts.requestsRefused = [401: 2, 403: 1]
    counts.delay.add(.microseconds(25))
    counts.delay.add(.microseconds(26))
    counts.delay.add(.seconds(3))
    counts.bytesFromBoard = 12
    counts.hasController = true
    counts.degrees = 135
    return counts
  }

  @Test func `The metrics contain every count, each family complete and only once`() throws {
    let recording = RecordingHealth(file: "s.jsonl", part: 2, bytes: 1_000, lostEvents: 8)
    let text = GatewayMetrics.text(
      Self.busy, recording: recording, uptime: .milliseconds(90_250), logLinesDropped: 9)
    let samples = try PrometheusChecker(text).samples
    let expected: [String: Double] = [
      "sentrybench_uptime_seconds": 90.25,
      "sentrybench_clients{kind=\"websocket\"}": 1,
      "sentrybench_clients{kind=\"tcp\"}": 1,
      "sentrybench_clients{kind=\"watcher\"}": 1,
      "sentrybench_client_connections_total{kind=\"websocket\"}": 2,
      "sentrybench_messages_received_total": 2,
      "sentrybench_message_bytes_received_total": 9,
      "sentrybench_commands_accepted_total{command=\"aim\"}": 7,
      "sentrybench_commands_accepted_total{command=\"tone\"}": 0,
      "sentrybench_commands_refused_total{reason=\"not-a-command\"}": 3,
      "sentrybench_commands_refused_total{reason=\"queue-full\"}": 0,
      "sentrybench_commands_replaced_total": 4,
      "sentrybench_commands_merged_total": 1,
      "sentrybench_commands_overflowed_total": 6,
      "sentrybench_commands_dropped_total{reason=\"control-lost\"}": 3,
      "sentrybench_commands_dropped_total{reason=\"leaving\"}": 0,
      "sentrybench_commands_own_total": 2,
      "sentrybench_commands_sent_total": 5,
      "sentrybench_requests_refused_total{status=\"401\"}": 2,
      "sentrybench_command_delay_seconds_bucket{le=\"0.000025\"}": 1,
      "sentrybench_command_delay_seconds_bucket{le=\"0.00005\"}": 2,
      "sentrybench_command_delay_seconds_bucket{le=\"1\"}": 2,
      "sentrybench_command_delay_seconds_bucket{le=\"+Inf\"}": 3,
      "sentrybench_command_delay_seconds_count": 3,
      "sentrybench_command_delay_seconds_sum": 3.000051,
      "sentrybench_board_bytes_received_total": 12,
      "sentrybench_board_present": 1,
      "sentrybench_controller_present": 1,
      "sentrybench_commanded_angle_degrees": 135,
      "sentrybench_recording_working": 1,
      "sentrybench_recording_events_lost_total": 8,
      "sentrybench_log_lines_dropped_total": 9,
    ]
    for (name, value) in expected { #expect(samples[name] == value, "\(name)") }
  }

  @Test func `At the start every metric is 0, and there is no angle`() throws {
    let text = GatewayMetrics.text(GatewayCounts(), recording: nil, uptime: .zero)
    let checker = try PrometheusChecker(text)
    #expect(checker.samples.values.allSatisfy { $0 == 0 || $0 == 1 })
    #expect(checker.families["sentrybench_commanded_angle_degrees"] == nil)
    #expect(checker.families["sentrybench_recording_working"] == nil)
    #expect(checker.families["sentrybench_detector_ready"] == nil)
    #expect(checker.families.keys.allSatisfy { $0.hasPrefix("sentrybench_") })
  }

  @Test func `With a detector, the metrics contain what became of the pictures`() throws {
    var pictures = PictureCounts()
    pictures.isReady = true
    pictures.received = 9
    pictures.passed = 4
    pictures.replaced = 2
    pictures.refused[.tooLarge] = 3
    pictures.failed = 1
    let text = GatewayMetrics.text(
      GatewayCounts(), recording: nil, pictures: pictures, uptime: .zero)
    let samples = try PrometheusChecker(text).samples
    for (name, value) in [
      ("detector_ready", 1.0), ("pictures_received_total", 9), ("pictures_passed_total", 4),
      ("pictures_replaced_total", 2), ("pictures_refused_total{reason=\"too-large\"}", 3),
      ("pictures_refused_total{reason=\"not-in-control\"}", 0), ("pictures_failed_total", 1),
    ] {
      #expect(samples["sentrybench_" + name] == value, "\(name)")
    }
  }

  @Test func `Help and labels are escaped`() throws {
    var text = PrometheusText()
    text.begin("a", "a \\ and\na \"line\"")
    text.add(1, ["x": "a \\ and\na \"line\"", "y": ""])
    #expect(
      text.text == """
        # HELP a a \\\\ and\\na "line"
        # TYPE a gauge
        a{x="a \\\\ and\\na \\"line\\"",y=""} 1\n
        """)
    #expect(try PrometheusChecker(text.text).samples.count == 1)
  }

  @Test(arguments: [
    ("a 1\n", "a has no TYPE"), ("# TYPE a gauge\n", "TYPE without HELP"),
    ("# HELP a b\n# TYPE a counter\n", "_total is for counters"),
    ("# HELP a b\n# TYPE a gauge\na 1\na 2\n", "a is there twice"),
    ("# HELP a b\n# TYPE a gauge\na{x=\"\"\"} 1\n", "no sample"),
    ("# HELP a b\n# TYPE a gauge\na  1\n", "no sample"),
    ("# HELP a b\n# TYPE a gauge\na 1", "no line feed at the end"),
    (
      "# HELP a b\n# TYPE a gauge\n# HELP c b\n# TYPE c gauge\na 1\n",
      "a is not in the family before it"
    ),
    (
      "# HELP a b\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
      "the histogram a is none"
    ),
    ("# HELP a_total b\n# TYPE a_total counter\na_total -1\n", "below 0"),
  ])
  func `The checker refuses text that the format does not allow`(text: String, why: String) {
    let refusal = #expect(throws: PrometheusChecker.Refusal.self) {
      _ = try PrometheusChecker(text)
    }
    #expect(refusal?.why == why)
  }
}
