package import Turret

/// How many pictures, and how large ones, are passed to a detector.
package struct PictureLimits: Hashable, Sendable {
  /// Bytes of one picture. A JPEG picture 320 pixels wide has about 15 000.
  package var bytesMax = 200_000
  /// Pictures a second that are passed on. A newer picture replaces one that waits.
  package var perSecondMax = 15
  /// A detector that takes longer to answer a picture is given up.
  package var answerTime = Interval.seconds(5)

  package init() {}

  /// The time between two pictures, rounded up, so that no second contains more.
  var period: Interval {
    let count = Int64(max(1, perSecondMax))
    return .nanoseconds((1_000_000_000 + count - 1) / count)
  }
}
