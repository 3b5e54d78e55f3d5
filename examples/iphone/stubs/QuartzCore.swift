// https://developer.apple.com/documentation/quartzcore
@_exported import Foundation

/// https://developer.apple.com/documentation/quartzcore/calayer
open class CALayer: NSObject {}
