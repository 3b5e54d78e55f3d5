// https://developer.apple.com/documentation/coreml
@_exported import Foundation

/// https://developer.apple.com/documentation/coreml/mlmodelconfiguration
open class MLModelConfiguration: NSObject {
  public override init() {}
}

/// https://developer.apple.com/documentation/coreml/mlmodel
///
/// Not Sendable here, which is the stricter of the two.
open class MLModel: NSObject {
  /// https://developer.apple.com/documentation/coreml/mlmodel/init(contentsof:configuration:)
  public init(contentsOf url: URL, configuration: MLModelConfiguration) throws { fatalError() }
  /// https://developer.apple.com/documentation/coreml/mlmodel/compilemodel(at:)-6442s
  open class func compileModel(at modelURL: URL) throws -> URL { fatalError() }
  /// https://developer.apple.com/documentation/coreml/mlmodel/compilemodel(at:)-45ao6
  open class func compileModel(at url: URL) async throws -> URL { fatalError() }
}
