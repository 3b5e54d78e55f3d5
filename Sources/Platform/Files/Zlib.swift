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
      case Z_BUF_ERROR: throw CaptureError("expected more compressed data, found its end")
      default:
        let reason = stream.msg.map { String(cString: $0) } ?? "error \(status)"
        throw CaptureError("expected deflated data, found \(reason)")
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

extension Zlib {
  /// Compresses a member of a zip. A waveform consists of runs of equal bytes: Z_RLE compresses
  /// them to a quarter of the size that the default strategy achieves, at the same speed.
  package static var deflate: Deflation {
    { Deflated(bytes: deflated($0), crc32: checksum(of: $0)) }
  }

  /// Returns raw deflated data; nil if that is not shorter, or if zlib has no memory.
  private static func deflated(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard bytes.count > 1 else { return nil }
    // A negative number of window bits leaves out zlib's header.
    return deflated(
      bytes, upTo: bytes.count - 1, level: 1, windowBits: -MAX_WBITS, memory: 8, Z_RLE)
  }

  /// Compresses bytes as gzip does, with neither a name nor a time, so that the same bytes always
  /// give the same result. Nil if zlib fails.
  package static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    // 16 more window bits mean a gzip header; 9 is the usual memory for the best compression.
    bytes.withUnsafeBytes {
      deflated(
        $0, level: Z_BEST_COMPRESSION, windowBits: MAX_WBITS + 16, memory: 9, Z_DEFAULT_STRATEGY)
    }
  }

  /// Returns deflated data of at most `countMax` bytes; nil if it is longer, or if zlib fails.
  private static func deflated(
    _ bytes: UnsafeRawBufferPointer, upTo countMax: Int? = nil, level: CInt, windowBits: CInt,
    memory: CInt, _ strategy: CInt
  ) -> [UInt8]? {
    guard bytes.count < Int(UInt32.max) / 2 else { return nil }
    var stream = z_stream()
    let status = deflateInit2_(
      &stream, level, Z_DEFLATED, windowBits, memory, strategy, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let first = bytes.baseAddress?.assumingMemoryBound(to: Bytef.self)
    stream.next_in = UnsafeMutablePointer(mutating: first)
    stream.avail_in = UInt32(bytes.count)
    let size = countMax ?? Int(deflateBound(&stream, uLong(bytes.count)))
    var isComplete = false
    let deflated = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      stream.next_out = buffer.baseAddress
      stream.avail_out = UInt32(buffer.count)
      isComplete = CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
      count = buffer.count - Int(stream.avail_out)
    }
    return isComplete ? deflated : nil
  }
}
