// https://developer.apple.com/documentation/uniformtypeidentifiers

/// https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct
public struct UTType: Hashable, Sendable {
  /// https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct/data
  public static var data: UTType { fatalError() }
  /// https://developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct/init(filenameextension:conformingto:)
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) { fatalError() }
}
