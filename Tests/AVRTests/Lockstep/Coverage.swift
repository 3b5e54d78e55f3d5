@testable import AVR

/// The instructions and their variants that a run has executed.
struct Coverage {
  /// An operation and its outcome: for a branch the bit of SREG and whether it was taken, for a
  /// skip the number of words skipped.
  struct Case: Hashable, CustomStringConvertible {
    var operation: AVR.Operation
    var detail = ""
    var description: String { detail.isEmpty ? "\(operation)" : "\(operation) \(detail)" }
  }

  private var counts: [Case: Int] = [:]

  mutating func note(_ instruction: Instruction, from pc: Int, to next: Int) {
    let detail =
      switch instruction.operation {
      case .brbs, .brbc: "\(instruction.d) \(next == pc + 1 ? "not " : "")taken"
      case .cpse, .sbrc, .sbrs, .sbic, .sbis: "skips \(next - pc - 1)"
      case .bset, .bclr: "\(instruction.d)"
      default: ""
      }
    counts[Case(operation: instruction.operation, detail: detail), default: 0] += 1
  }

  mutating func add(_ other: Coverage) {
    counts.merge(other.counts, uniquingKeysWith: +)
  }

  /// The cases that were executed fewer than `count` times.
  func cases(below count: Int) -> [Case] {
    Self.all.filter { counts[$0, default: 0] < count }
  }

  static let all: [Case] = Encoding.all.flatMap { encoding in
    let operation = encoding.operation
    let details: [String] =
      switch operation {
      case .brbs, .brbc: (0..<8).flatMap { ["\($0) taken", "\($0) not taken"] }
      case .cpse, .sbrc, .sbrs, .sbic, .sbis: (0...2).map { "skips \($0)" }
      case .bset, .bclr: (0..<8).map { "\($0)" }
      default: [""]
      }
    return details.map { Case(operation: operation, detail: $0) }
  }
}
