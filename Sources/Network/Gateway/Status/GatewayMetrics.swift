import Engine
import Sketches

/// The answer to `/metrics`. Families with a fixed set of labels have all of them from the start,
/// so that a rate can be computed for the first event, too.
enum GatewayMetrics {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// `uptime`: how long the bench has been running. `logLinesDropped`: the lines that a reader of
  /// the log missed.
  static func text(
    _ counts: GatewayCounts, recording: RecordingHealth?, pictures: PictureCounts? = nil,
    uptime: Interval, logLinesDropped: Int = 0
  ) -> String {
    var text = PrometheusText()
    text.put("sentrybench_uptime_seconds", "How long the bench has been running.", uptime)
    addClients(counts, to: &text)
    addCommands(counts, to: &text)
    addBoard(counts, to: &text)
    if let recording { addRecording(recording, to: &text) }
    if let pictures { addPictures(pictures, to: &text) }
    text.put(
      "sentrybench_log_lines_dropped_total", "Log lines lost because they were not read in time.",
      logLinesDropped)
    return text.text
  }

  private static func addClients(_ counts: GatewayCounts, to text: inout PrometheusText) {
    text.put(
      "sentrybench_clients", "Clients that are connected, by kind.", counts.clientsNow, by: "kind")
    text.put(
      "sentrybench_client_connections_total", "Clients that have connected, by kind.",
      counts.clientsEver, by: "kind")
    text.put(
      "sentrybench_controller_present", "Whether a client controls the turret.",
      counts.hasController)
    text.begin(
      "sentrybench_requests_refused_total",
      "Requests and clients that were refused, by HTTP status.")
    for (status, count) in counts.requestsRefused.sorted(by: { $0.key < $1.key }) {
      text.add(count, ["status": "\(status)"])
    }
    text.put(
      "sentrybench_watcher_lines_dropped_total",
      "Session lines and dashboard messages not sent to watchers that did not read.",
      counts.linesDropped)
    text.put(
      "sentrybench_disconnect_actions_total", "How often the --on-disconnect action was taken.",
      counts.disconnectActions)
  }

  private static func addCommands(_ counts: GatewayCounts, to text: inout PrometheusText) {
    text.put("sentrybench_messages_received_total", "Messages from clients.", counts.messages)
    text.put(
      "sentrybench_message_bytes_received_total", "Bytes of messages from clients.",
      counts.bytesReceived)
    text.put(
      "sentrybench_commands_accepted_total", "Commands accepted, by kind.", counts.accepted,
      by: "command")
    text.put(
      "sentrybench_commands_refused_total", "Client input that was refused, by reason.",
      counts.refused, by: "reason")
    text.put(
      "sentrybench_commands_replaced_total", "Aims replaced by a newer one.", counts.queue.replaced)
    text.put(
      "sentrybench_commands_merged_total", "L commands merged with the one before.",
      counts.queue.merged)
    text.put(
      "sentrybench_commands_overflowed_total", "Commands that arrived when the queue was full.",
      counts.queue.overflowed)
    text.put(
      "sentrybench_commands_dropped_total", "Pending commands that were not sent, by reason.",
      counts.dropped, by: "reason")
    text.put("sentrybench_commands_own_total", "Commands that no client sent.", counts.own)
    text.put("sentrybench_queue_length", "Commands waiting to be sent.", counts.queueLength)
  }

  private static func addBoard(_ counts: GatewayCounts, to text: inout PrometheusText) {
    text.put("sentrybench_commands_sent_total", "Commands written to the board.", counts.sent)
    text.put(
      "sentrybench_command_delay_seconds",
      "Time from a message's arrival to its command's first bit on the wire.", counts.delay)
    text.put(
      "sentrybench_board_bytes_received_total", "Bytes from the board.", counts.bytesFromBoard)
    text.put("sentrybench_board_present", "Whether the board is connected.", counts.hasBoard)
    text.put(
      "sentrybench_board_reconnects_total", "How often the board has reconnected.",
      counts.reconnects)
    if let degrees = counts.degrees {
      text.put("sentrybench_commanded_angle_degrees", "The last commanded angle.", Int(degrees))
    }
  }

  private static func addPictures(_ pictures: PictureCounts, to text: inout PrometheusText) {
    text.put("sentrybench_detector_ready", "Whether the detector answers.", pictures.isReady)
    text.put("sentrybench_pictures_received_total", "Pictures from clients.", pictures.received)
    text.put(
      "sentrybench_pictures_passed_total", "Pictures passed to the detector.", pictures.passed)
    text.put(
      "sentrybench_pictures_replaced_total", "Pictures replaced by a newer one.", pictures.replaced)
    text.put(
      "sentrybench_pictures_refused_total", "Pictures not passed to the detector, by reason.",
      pictures.refused, by: "reason")
    text.put(
      "sentrybench_pictures_failed_total",
      "Pictures that the detector could not process or did not answer.", pictures.failed)
  }

  private static func addRecording(_ recording: RecordingHealth, to text: inout PrometheusText) {
    text.put(
      "sentrybench_recording_working", "Whether the session is being recorded.",
      recording.failure == nil)
    text.put(
      "sentrybench_recording_parts_total", "Parts of this session's recording.", recording.part)
    text.put("sentrybench_recording_bytes", "Bytes in the current part.", Int(recording.bytes))
    text.put(
      "sentrybench_recording_events_lost_total", "Events that could not be written.",
      recording.lostEvents)
  }
}
