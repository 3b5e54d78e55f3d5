/// Inflates a member of a zip: it reads compressed bytes with the first closure and gives what
/// they become to the second, a piece at a time. A pure module has no zlib, so a program or a page
/// hands its own in.
package typealias Inflation = (
  _ read: (UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int,
  _ give: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
) throws(CaptureError) -> Void
