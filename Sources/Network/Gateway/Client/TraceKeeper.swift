package import Traces

/// Keeps the last minutes of the session, for a request to save them. Used only on the event loop.
package protocol TraceKeeper: AnyObject {
  /// The last minutes as a trace; nil if they are not kept.
  var recentTrace: RecentTrace? { get }
}
