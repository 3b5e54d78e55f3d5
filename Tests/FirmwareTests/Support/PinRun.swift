import Foundation
import Testing

/// A program that ran on yasimavr, and what its pins did there.
///
/// `SENTRY_EDGES` names the runs, `HEX=EDGES` separated by colons; the edges are what
/// .ci/pins/yasimavr-edges prints.
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
