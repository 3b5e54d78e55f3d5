import CZlib

extension Zlib {
  /// Compresses bytes as gzip does, with neither a name nor a time, so that the same bytes always
  /// give the same result. Nil if zlib fails.
  package static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    // 16 more window bits mean a gzip header; 9 is the usual memory for the best compression.
    let status = deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK, bytes.count < Int(UInt32.max) / 2 else { return nil }
    defer { deflateEnd(&stream) }
    let size = Int(deflateBound(&stream, uLong(bytes.count)))
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
      var isDone = false
      let output = [UInt8](unsafeUninitializedCapacity: size) { output, count in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(size)
        isDone = CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = size - Int(stream.avail_out)
      }
      return isDone ? output : nil
    }
  }
}
