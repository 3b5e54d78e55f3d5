import Traces

/// One of the ports, sides or analysers that a log distinguishes.
struct LogPort: Hashable {
  var name: String
  /// Whether the log shows that it is a serial port. If any port is one, the others are ignored.
  var isSerial = false
  /// Whether it can be chosen only by `--port`: standard input, a regular file.
  var isOnRequest = false
  /// A second name that `--port` accepts: the path of a file descriptor.
  var alias = ""
}
