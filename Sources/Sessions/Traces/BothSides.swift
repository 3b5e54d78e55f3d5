import Judging
import Sketches
import Traces

/// Two recordings of one session: the bytes that the computer sent, and those that reached the
/// board's pin. Their difference is what the adapter and the wire lost, apart from what the board
/// itself loses.
struct BothSides {
  /// The most bytes on a side. Comparing takes as many steps as there are bytes and differences.
  static let countMax = 100_000

  /// Bytes of one side that the other does not have, in a row.
  struct Run: Hashable {
    var bytes: [UInt8]
    /// When the byte at the pin arrived that is before them, or the first of them; zero if there is
    /// none.
    var time: Instant
    var isLost: Bool
  }

  let sentCount: Int
  let pinCount: Int
  private(set) var runs: [Run] = []
  private let boardLosses: Int

  init(sent: [UInt8], pin: [Ledger.Entry]) {
    sentCount = sent.count
    pinCount = pin.count
    boardLosses = pin.count { entry in
      switch entry.fate {
      case .ringFull, .uartOverrun, .parity, .booting, .cleared: true
      default: false
      }
    }
    var lost: Set<Int> = []
    var added: Set<Int> = []
    for change in pin.map({ $0.byte }).difference(from: sent) {
      switch change {
      case .remove(let offset, _, _): lost.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var (i, j) = (0, 0)
    var last = Instant.zero
    while i < sent.count || j < pin.count {
      if lost.contains(i) {
        add(sent[i], at: last, isLost: true)
        i += 1
      } else if added.contains(j) {
        add(pin[j].byte, at: pin[j].arrived, isLost: false)
        last = pin[j].arrived
        j += 1
      } else {
        last = pin[j].arrived
        (i, j) = (i + 1, j + 1)
        isOpen = false
      }
    }
  }

  private var isOpen = false

  private mutating func add(_ byte: UInt8, at time: Instant, isLost: Bool) {
    if isOpen, runs.last?.isLost == isLost {
      runs[runs.count - 1].bytes.append(byte)
    } else {
      runs.append(Run(bytes: [byte], time: time, isLost: isLost))
    }
    isOpen = true
  }

  /// The bytes that did not reach the pin, as bytes of the session.
  var lost: [(time: Instant, byte: UInt8, fate: Fate)] {
    runs.filter { $0.isLost }.flatMap { run in
      run.bytes.map { (run.time, $0, Fate.adapterLost) }
    }
  }

  /// What was lost where. `path` is the file of the computer's side.
  func lines(from path: String) -> [String] {
    var lines = [
      "",
      "\(String(counting: sentCount, "byte")) in \(PlainText.escaped(path)), "
        + "\(pinCount) at the pin:",
    ]
    for run in runs {
      let bytes = ByteText.quoted(run.bytes)
      let time = String(canonical: run.time.roundedUpToMicrosecond)
      let lost = "\(bytes) was sent and did not reach the pin: lost in the adapter or on the wire"
      lines.append(
        run.isLost ? "  after \(time) s  \(lost)" : "  at \(time) s  \(bytes) was not sent")
    }
    if runs.isEmpty { lines.append("  every byte that was sent reached the pin") }
    lines.append(
      boardLosses == 0
        ? "  the board lost none of those that reached it"
        : "  the board lost \(boardLosses) of those that reached it: they have that fate")
    return lines
  }
}
