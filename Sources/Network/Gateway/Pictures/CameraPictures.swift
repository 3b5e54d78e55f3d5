package import NIOCore
package import Sketches

/// A picture of the session's camera, as finished JPEG.
package struct CameraPicture: Hashable, Sendable {
  /// The number of the frame.
  package var number: Int
  /// When the camera took it: the session's time, and the computer's clock.
  package var time: Instant
  package var taken: HostTime
  package var jpeg: [UInt8]

  package init(number: Int, time: Instant, taken: HostTime, jpeg: [UInt8]) {
    self.number = number
    self.time = time
    self.taken = taken
    self.jpeg = jpeg
  }

  /// The picture as a part of a stream. The boundary follows at once and not in front of the next
  /// part, because browsers show a part when it has ended.
  var part: ByteBuffer {
    var head = "Content-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    head += "\r\n"
    var part = ByteBufferAllocator().buffer(
      capacity: head.utf8.count + jpeg.count + Self.boundary.utf8.count + 2)
    part.writeString(head)
    part.writeBytes(jpeg)
    part.writeString("\r\n" + Self.boundary)
    return part
  }

  /// Which picture it is, and when it was taken.
  var fields: [(name: String, value: String)] {
    [
      ("X-Frame", "\(number)"), ("X-Time", Self.seconds(time - .zero)),
      ("X-Monotonic", Self.seconds(.nanoseconds(taken.nanoseconds))),
    ]
  }

  static let contentType = "multipart/x-mixed-replace; boundary=picture"
  static let boundary = "--picture\r\n"

  /// In microseconds, as all times of a session.
  private static func seconds(_ interval: Interval) -> String {
    let microseconds = max(0, interval.nanoseconds) / 1_000
    return "\(microseconds / 1_000_000).\(String(microseconds % 1_000_000, digits: 6))"
  }
}

/// A connection that reads the camera's pictures.
package protocol CameraReader: AnyObject {
  /// Sends a picture, and calls `CameraPictures.taken` when the kernel has taken all of it.
  func send(_ part: ByteBuffer)
  /// Closes at once, because it does not read.
  func cut()
}

/// The pictures of the session's camera, and their readers. Used only on the event loop.
///
/// A reader that is slower than the camera gets the newest picture when it has taken the one
/// before, and none of those in between. So one picture at most waits for each reader in the
/// program; the kernel's buffer for a reader is small (`sendBufferBytes`).
package final class CameraPictures {
  /// How many programs can read the stream at once.
  package static let readersMax = 8
  /// A reader that has not taken a picture for this long is closed.
  static let stallTime = TimeAmount.seconds(30)
  /// The size of the kernel's buffer for a reader, in bytes. A picture of 640x480 pixels has about
  /// 15 000.
  static let sendBufferBytes = 16_384

  private struct Reader {
    let connection: any CameraReader
    /// The picture that it got last, counted as `count`; 0 before the first.
    var shown = 0
    /// Since when the kernel has not taken all of that picture; nil if it has.
    var busySince: NIODeadline?
  }

  private var readers: [ObjectIdentifier: Reader] = [:]
  /// What waits for the first picture, and reads that alone.
  private var waiting: [ObjectIdentifier: (CameraPicture) -> Void] = [:]
  /// The newest picture; nil before the first.
  package private(set) var newest: CameraPicture?
  private var part = ByteBuffer()
  /// How many pictures there were.
  package private(set) var count = 0
  /// How many programs have read the stream or a picture.
  package private(set) var readersEver = 0
  /// How many pictures readers have got, and how many were replaced by newer ones before that,
  /// counted for each reader.
  package private(set) var sent = 0
  package private(set) var skipped = 0

  package init() {}

  /// How many programs are reading the stream.
  package var readersCount: Int { readers.count }

  /// Shows a picture to the readers.
  package func put(_ picture: CameraPicture, now: NIODeadline = .now()) {
    newest = picture
    count += 1
    sent += waiting.count
    let waited = waiting.values
    waiting = [:]
    for take in waited { take(picture) }
    part = readers.isEmpty ? ByteBuffer() : picture.part
    // Sending can close a connection, which leaves.
    for id in Array(readers.keys) {
      guard let reader = readers[id] else { continue }
      if let since = reader.busySince {
        if now - since > Self.stallTime { reader.connection.cut() }
      } else {
        give(to: id, now)
      }
    }
  }

  /// Adds a reader, which gets the newest picture at once. Returns false if there are too many.
  func join(_ connection: any CameraReader, now: NIODeadline = .now()) -> Bool {
    guard readers.count < Self.readersMax else { return false }
    let id = ObjectIdentifier(connection)
    // What was there before it came was not meant for it.
    readers[id] = Reader(connection: connection, shown: max(0, count - 1))
    readersEver += 1
    if let newest {
      if part.readableBytes == 0 { part = newest.part }
      give(to: id, now)
    }
    return true
  }

  func leave(_ connection: any CameraReader) { readers[ObjectIdentifier(connection)] = nil }

  /// Takes the report that the kernel has taken a reader's picture. The reader gets the next one if
  /// there is a newer one.
  func taken(by connection: any CameraReader, now: NIODeadline = .now()) {
    let id = ObjectIdentifier(connection)
    guard readers[id] != nil else { return }
    readers[id]?.busySince = nil
    if readers[id]?.shown != count { give(to: id, now) }
  }

  /// Gives the newest picture alone to a reader, perhaps later: the first one is only taken when
  /// something reads the camera.
  func read(by reader: AnyObject, _ take: @escaping (CameraPicture) -> Void) {
    readersEver += 1
    guard let newest else {
      waiting[ObjectIdentifier(reader)] = take
      return
    }
    sent += 1
    take(newest)
  }

  /// Forgets a reader that waits for the first picture.
  func forget(_ reader: AnyObject) { waiting[ObjectIdentifier(reader)] = nil }

  private func give(to id: ObjectIdentifier, _ now: NIODeadline) {
    guard let reader = readers[id] else { return }
    skipped += count - reader.shown - 1
    sent += 1
    readers[id]?.shown = count
    readers[id]?.busySince = now
    reader.connection.send(part)
  }
}
