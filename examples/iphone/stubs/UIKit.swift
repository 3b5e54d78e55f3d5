// https://developer.apple.com/documentation/uikit
@_exported import Foundation
@_exported import QuartzCore

/// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: NSObject {}

/// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiview/init(frame:)
  public init(frame: CGRect) {}
  /// https://developer.apple.com/documentation/uikit/uiview/layerclass
  open class var layerClass: AnyClass { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uiview/layer
  open var layer: CALayer { fatalError() }
}

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: UIResponder {
  /// https://developer.apple.com/documentation/uikit/uiapplication/shared
  open class var shared: UIApplication { fatalError() }
  /// https://developer.apple.com/documentation/uikit/uiapplication/isidletimerdisabled
  open var isIdleTimerDisabled: Bool {
    get { fatalError() }
    set {}
  }
}

extension URL {
  /// https://developer.apple.com/documentation/foundation/url/startaccessingsecurityscopedresource()
  ///
  /// Only Apple's Foundation has it.
  public func startAccessingSecurityScopedResource() -> Bool { fatalError() }
  /// https://developer.apple.com/documentation/foundation/url/stopaccessingsecurityscopedresource()
  public func stopAccessingSecurityScopedResource() {}
}
