// https://developer.apple.com/documentation/coremedia
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported import CoreVideo
@_exported import Foundation

/// https://developer.apple.com/documentation/coremedia/cmsamplebuffer
///
/// Its page names no conformance to Sendable.
public final class CMSampleBuffer {
  init() { fatalError() }
}

/// https://developer.apple.com/documentation/coremedia/cmtime-api
public struct CMTime: Sendable {
  /// https://developer.apple.com/documentation/coremedia/cmtime/seconds
  public var seconds: Double { fatalError() }
}

/// https://developer.apple.com/documentation/coremedia/cmsamplebuffergetpresentationtimestamp(_:)
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime {
  fatalError()
}

/// https://developer.apple.com/documentation/coremedia/cmsamplebuffergetimagebuffer(_:)
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { fatalError() }
