/// Inflates a member of a zip: reads compressed bytes with the first closure and passes the
/// inflated bytes to the second, a piece at a time. This module has no zlib, so a program or a page
/// supplies one.
package typealias Inflation = (
  _ read: (UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int,
  _ give: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
) throws(CaptureError) -> Void
