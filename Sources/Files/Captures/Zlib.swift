import CZlib
package import Captures

/// The system's zlib, for the compressed members of a zip.
package enum Zlib {
  private static let inputSize = 1 << 16
  private static let outputSize = 1 << 18

  /// Inflates raw deflated data, such as the members of a zip.
  package static var inflate: Inflation { inflate(reading:giving:) }

  private static func inflate(
    reading read: (UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int,
    giving give: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: inputSize, alignment: 16)
    defer { input.deallocate() }
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize, alignment: 16)
    defer { output.deallocate() }

    var stream = z_stream()
    // A negative number of window bits means that the data has no zlib header.
    let status = inflateInit2_(
      &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      throw CaptureError(.inputOutput, "zlib cannot begin to inflate (\(status))")
    }
    defer { inflateEnd(&stream) }

    var isAtEnd = false
    while true {
      if stream.avail_in == 0, !isAtEnd {
        let count = try read(input)
        isAtEnd = count == 0
        stream.next_in = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
        stream.avail_in = UInt32(count)
      }
      stream.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
      stream.avail_out = UInt32(outputSize)
      let status = CZlib.inflate(&stream, Z_NO_FLUSH)
      let count = outputSize - Int(stream.avail_out)
      if count > 0 { try give(UnsafeRawBufferPointer(rebasing: output[..<count])) }
      switch status {
      case Z_STREAM_END: return
      case Z_OK: continue
      case Z_BUF_ERROR where !isAtEnd: continue
      case Z_BUF_ERROR:
        throw CaptureError(.malformed, "expected more compressed data, found its end")
      default:
        let reason = stream.msg.map { String(cString: $0) } ?? "error \(status)"
        throw CaptureError(.malformed, "expected deflated data, found \(reason)")
      }
    }
  }

  /// Returns the CRC-32 of bytes, as a zip stores it for each member. `start` is that of the bytes
  /// before them.
  package static func checksum(
    of bytes: UnsafeRawBufferPointer, after start: UInt32 = 0
  ) -> UInt32 {
    let first = bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
    return UInt32(truncatingIfNeeded: crc32_z(uLong(start), first, bytes.count))
  }
}
