import Foundation

/// Aims a turret through its serial port.
public final class Sender {
  /// The angles that the turret's mount allows, in degrees.
  public static let angles = 30...150

  private let port: CInt
  private var last: Int?

  /// - Parameter path: for example `/dev/ttyACM0`.
  public init(port path: String) throws {
    port = open(path, O_WRONLY | O_NOCTTY)
    guard port >= 0 else { throw SenderError(reason: String(cString: strerror(errno))) }
  }

  deinit { close(port) }

  /// Aims at an angle, or at the nearest one that the mount allows. Sends nothing if the turret
  /// already aims there.
  public func aim(at degrees: Int) throws {
    let angle = min(max(degrees, Self.angles.lowerBound), Self.angles.upperBound)
    guard angle != last else { return }
    try send("X\(angle).")
    last = angle
  }

  /// Makes the turret sweep until it is aimed again.
  public func sweep() throws {
    try send("L")
    last = nil
  }

  private func send(_ command: String) throws {
    let bytes = Array(command.utf8)
    guard write(port, bytes, bytes.count) == bytes.count else {
      throw SenderError(reason: String(cString: strerror(errno)))
    }
  }
}

public struct SenderError: Error {
  public let reason: String
}
