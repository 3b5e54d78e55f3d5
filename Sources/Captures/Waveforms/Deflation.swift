/// A member of a zip after compression.
package struct Deflated {
  /// Raw deflate, without a header; nil if that is not shorter or the bytes cannot be compressed,
  /// so that they are stored as they are.
  package var bytes: [UInt8]?
  /// The checksum of the bytes before compression, as zip and zlib define it.
  package var crc32: UInt32

  package init(bytes: [UInt8]?, crc32: UInt32) {
    self.bytes = bytes
    self.crc32 = crc32
  }
}

/// Compresses a member of a zip. This module has no zlib, so a program or a page supplies one.
package typealias Deflation = (_ bytes: UnsafeRawBufferPointer) -> Deflated
