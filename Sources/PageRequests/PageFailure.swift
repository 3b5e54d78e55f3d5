package import Traces

/// Why a request has no result, as a message for the user.
package struct PageFailure: Error, Hashable, Sendable {
  package let message: String

  package init(_ message: String) { self.message = PlainText.of(message, upTo: 1_000) }

  package init(_ error: TraceError) { self.init(error.description) }
}
