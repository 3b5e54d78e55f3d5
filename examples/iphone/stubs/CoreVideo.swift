// https://developer.apple.com/documentation/corevideo
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// https://developer.apple.com/documentation/corevideo/cvbuffer
public final class CVBuffer {
  init() { fatalError() }
}

/// https://developer.apple.com/documentation/corevideo/cvimagebuffer
public typealias CVImageBuffer = CVBuffer
/// https://developer.apple.com/documentation/corevideo/cvpixelbuffer
public typealias CVPixelBuffer = CVImageBuffer

/// https://developer.apple.com/documentation/corevideo/cvpixelbuffergetwidth(_:)
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }
/// https://developer.apple.com/documentation/corevideo/cvpixelbuffergetheight(_:)
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }
