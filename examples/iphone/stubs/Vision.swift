// https://developer.apple.com/documentation/vision
@_exported import CoreML
@_exported import CoreMedia
@_exported import Foundation
@_exported import ImageIO

/// https://developer.apple.com/documentation/vision/vnconfidence
public typealias VNConfidence = Float

/// https://developer.apple.com/documentation/vision/vnimageoption
public struct VNImageOption: Hashable, Sendable {}

/// https://developer.apple.com/documentation/vision/vnimagecropandscaleoption
public enum VNImageCropAndScaleOption: UInt, Sendable {
  case centerCrop = 0
  case scaleFit = 1
  case scaleFill = 2
}

/// https://developer.apple.com/documentation/vision/vnrequestcompletionhandler
public typealias VNRequestCompletionHandler = (VNRequest, (any Error)?) -> Void

/// https://developer.apple.com/documentation/vision/vnrequest
open class VNRequest: NSObject {
  /// https://developer.apple.com/documentation/vision/vnrequest/init(completionhandler:)
  public init(completionHandler: VNRequestCompletionHandler? = nil) {}
}

/// https://developer.apple.com/documentation/vision/vnimagebasedrequest
open class VNImageBasedRequest: VNRequest {}

/// https://developer.apple.com/documentation/vision/vndetectfacerectanglesrequest
open class VNDetectFaceRectanglesRequest: VNImageBasedRequest {
  /// https://developer.apple.com/documentation/vision/vndetectfacerectanglesrequest/results
  open var results: [VNFaceObservation]? { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vndetectfacelandmarksrequest
open class VNDetectFaceLandmarksRequest: VNImageBasedRequest {
  /// https://developer.apple.com/documentation/vision/vndetectfacelandmarksrequest/results
  open var results: [VNFaceObservation]? { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vncoremlmodel
open class VNCoreMLModel: NSObject {
  /// https://developer.apple.com/documentation/vision/vncoremlmodel/init(for:)
  public init(for model: MLModel) throws { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vncoremlrequest
open class VNCoreMLRequest: VNImageBasedRequest {
  /// https://developer.apple.com/documentation/vision/vncoremlrequest/init(model:completionhandler:)
  public init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) {
    fatalError()
  }
  /// https://developer.apple.com/documentation/vision/vncoremlrequest/imagecropandscaleoption
  open var imageCropAndScaleOption: VNImageCropAndScaleOption {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/vision/vnrequest/results
  open var results: [VNObservation]? { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vnimagerequesthandler
open class VNImageRequestHandler: NSObject {
  /// https://developer.apple.com/documentation/vision/vnimagerequesthandler/init(cmsamplebuffer:orientation:options:)
  public init(
    cmSampleBuffer sampleBuffer: CMSampleBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) { fatalError() }
  /// https://developer.apple.com/documentation/vision/vnimagerequesthandler/perform(_:)
  open func perform(_ requests: [VNRequest]) throws {}
}

/// https://developer.apple.com/documentation/vision/vnobservation
open class VNObservation: NSObject {
  /// https://developer.apple.com/documentation/vision/vnobservation/confidence
  open var confidence: VNConfidence { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vnclassificationobservation
open class VNClassificationObservation: VNObservation {
  /// https://developer.apple.com/documentation/vision/vnclassificationobservation/identifier
  open var identifier: String { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vndetectedobjectobservation
open class VNDetectedObjectObservation: VNObservation {
  /// https://developer.apple.com/documentation/vision/vndetectedobjectobservation/boundingbox
  open var boundingBox: CGRect { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vnrecognizedobjectobservation
open class VNRecognizedObjectObservation: VNDetectedObjectObservation {
  /// https://developer.apple.com/documentation/vision/vnrecognizedobjectobservation/labels
  open var labels: [VNClassificationObservation] { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vnfaceobservation
open class VNFaceObservation: VNDetectedObjectObservation {
  /// https://developer.apple.com/documentation/vision/vnfaceobservation/landmarks
  open var landmarks: VNFaceLandmarks2D? { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vnfacelandmarks2d
open class VNFaceLandmarks2D: NSObject {
  /// https://developer.apple.com/documentation/vision/vnfacelandmarks2d/lefteye
  open var leftEye: VNFaceLandmarkRegion2D? { fatalError() }
  /// https://developer.apple.com/documentation/vision/vnfacelandmarks2d/righteye
  open var rightEye: VNFaceLandmarkRegion2D? { fatalError() }
  /// https://developer.apple.com/documentation/vision/vnfacelandmarks2d/nose
  open var nose: VNFaceLandmarkRegion2D? { fatalError() }
  /// https://developer.apple.com/documentation/vision/vnfacelandmarks2d/outerlips
  open var outerLips: VNFaceLandmarkRegion2D? { fatalError() }
}

/// https://developer.apple.com/documentation/vision/vnfacelandmarkregion2d
open class VNFaceLandmarkRegion2D: NSObject {
  /// https://developer.apple.com/documentation/vision/vnfacelandmarkregion2d/normalizedpoints-7s7im
  public var normalizedPoints: [CGPoint] { fatalError() }
}
