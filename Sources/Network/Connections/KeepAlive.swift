package import Sketches

/// Makes the kernel detect that the other end of a bare TCP connection is gone.
package enum KeepAlive {
  package struct Option: Hashable {
    package var level: CInt
    package var name: CInt
  }

  /// The options that end a connection after about `time` if nothing arrives from the other end,
  /// not even the kernel's acknowledgements. The kernel counts in seconds.
  package static func options(_ time: Interval) -> [(Option, Int)] {
    let seconds = max(Int(time.nanoseconds / 1_000_000_000), 1)
    return probes(idleSeconds: max(seconds / 2, 1), count: max(seconds - seconds / 2, 1))
      + writes(milliseconds: Int(time.nanoseconds / 1_000_000))
  }
}
