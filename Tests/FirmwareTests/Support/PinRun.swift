import Foundation
import Testing

/// A program that ran on yasimavr, and its pins' edges.
///
/// `SENTRY_EDGES` names the runs as `HEX=EDGES`, separated by colons. `.ci/lockstep/yasimavr-edges`
/// prints the edges.
struct PinRun: Sendable, CustomTestStringConvertible {
  let program: String
  let edges: String

  var testDescription: String { edges }

  static let all: [PinRun] =
    (ProcessInfo.processInfo.environment["SENTRY_EDGES"] ?? "").split(separator: ":").compactMap {
      let parts = $0.split(separator: "=")
      return parts.count == 2 ? PinRun(program: String(parts[0]), edges: String(parts[1])) : nil
    }
}
