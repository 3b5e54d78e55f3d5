// https://developer.apple.com/documentation/avfoundation
//
// The pages of the capture classes name no conformance to Sendable, so they have none here.
@_exported import CoreMedia
@_exported import Foundation
@_exported import QuartzCore

/// https://developer.apple.com/documentation/avfoundation/avmediatype
public struct AVMediaType: Hashable, Sendable {
  /// https://developer.apple.com/documentation/avfoundation/avmediatype/video
  public static let video = AVMediaType()
}

/// https://developer.apple.com/documentation/avfoundation/avauthorizationstatus
public enum AVAuthorizationStatus: Int, Sendable {
  case notDetermined, restricted, denied, authorized
}

/// https://developer.apple.com/documentation/avfoundation/avlayervideogravity
public struct AVLayerVideoGravity: Hashable, Sendable {
  /// https://developer.apple.com/documentation/avfoundation/avlayervideogravity/resizeaspectfill
  public static let resizeAspectFill = AVLayerVideoGravity()
}

/// https://developer.apple.com/documentation/avfoundation/avcapturedevice
open class AVCaptureDevice: NSObject {
  /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/position-swift.enum
  public enum Position: Int, Sendable {
    case unspecified, back, front
  }

  /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/devicetype-swift.struct
  public struct DeviceType: Hashable, Sendable {
    /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/devicetype-swift.struct/builtinwideanglecamera
    public static let builtInWideAngleCamera = DeviceType()
  }

  /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/default(_:for:position:)
  open class func `default`(
    _ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position
  ) -> AVCaptureDevice? { fatalError() }

  /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/authorizationstatus(for:)
  open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
    fatalError()
  }

  /// https://developer.apple.com/documentation/avfoundation/avcapturedevice/requestaccess(for:completionhandler:)
  open class func requestAccess(for mediaType: AVMediaType) async -> Bool { fatalError() }
}

/// https://developer.apple.com/documentation/avfoundation/avcaptureinput
open class AVCaptureInput: NSObject {}

/// https://developer.apple.com/documentation/avfoundation/avcapturedeviceinput
open class AVCaptureDeviceInput: AVCaptureInput {
  /// https://developer.apple.com/documentation/avfoundation/avcapturedeviceinput/init(device:)
  public init(device: AVCaptureDevice) throws { fatalError() }
}

/// https://developer.apple.com/documentation/avfoundation/avcaptureoutput
open class AVCaptureOutput: NSObject {
  /// https://developer.apple.com/documentation/avfoundation/avcaptureoutput/connection(with:)
  open func connection(with mediaType: AVMediaType) -> AVCaptureConnection? { fatalError() }
}

/// https://developer.apple.com/documentation/avfoundation/avcaptureconnection
open class AVCaptureConnection: NSObject {
  /// https://developer.apple.com/documentation/avfoundation/avcaptureconnection/isvideomirroringsupported
  open var isVideoMirroringSupported: Bool { fatalError() }
  /// https://developer.apple.com/documentation/avfoundation/avcaptureconnection/automaticallyadjustsvideomirroring
  open var automaticallyAdjustsVideoMirroring: Bool {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/avfoundation/avcaptureconnection/isvideomirrored
  open var isVideoMirrored: Bool {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/avfoundation/avcaptureconnection/videorotationangle
  open var videoRotationAngle: CGFloat {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/avfoundation/avcaptureconnection/isvideorotationanglesupported(_:)
  open func isVideoRotationAngleSupported(_ videoRotationAngle: CGFloat) -> Bool { fatalError() }
}

/// https://developer.apple.com/documentation/avfoundation/avcapturevideodataoutput
open class AVCaptureVideoDataOutput: AVCaptureOutput {
  /// https://developer.apple.com/documentation/avfoundation/avcapturevideodataoutput/init()
  public override init() {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturevideodataoutput/alwaysdiscardslatevideoframes
  open var alwaysDiscardsLateVideoFrames: Bool {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/avfoundation/avcapturevideodataoutput/setsamplebufferdelegate(_:queue:)
  open func setSampleBufferDelegate(
    _ sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
    queue sampleBufferCallbackQueue: DispatchQueue?
  ) {}
}

/// https://developer.apple.com/documentation/avfoundation/avcapturevideodataoutputsamplebufferdelegate
///
/// Not isolated: it is called on the queue of `setSampleBufferDelegate`.
public protocol AVCaptureVideoDataOutputSampleBufferDelegate: NSObjectProtocol {
  /// https://developer.apple.com/documentation/avfoundation/avcapturevideodataoutputsamplebufferdelegate/captureoutput(_:didoutput:from:)
  ///
  /// It is optional there. Here it is required, so that a misspelled one is an error: on a phone, it
  /// would never be called.
  func captureOutput(
    _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
    from connection: AVCaptureConnection)
}

/// https://developer.apple.com/documentation/avfoundation/avcapturesession
open class AVCaptureSession: NSObject {
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/preset
  public struct Preset: Hashable, Sendable {
    /// https://developer.apple.com/documentation/avfoundation/avcapturesession/preset/hd1280x720
    public static let hd1280x720 = Preset()
  }

  public override init() {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/sessionpreset
  open var sessionPreset: Preset {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/inputs
  open var inputs: [AVCaptureInput] { fatalError() }
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/outputs
  open var outputs: [AVCaptureOutput] { fatalError() }
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/canaddinput(_:)
  open func canAddInput(_ input: AVCaptureInput) -> Bool { fatalError() }
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/addinput(_:)
  open func addInput(_ input: AVCaptureInput) {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/removeinput(_:)
  open func removeInput(_ input: AVCaptureInput) {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/canaddoutput(_:)
  open func canAddOutput(_ output: AVCaptureOutput) -> Bool { fatalError() }
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/addoutput(_:)
  open func addOutput(_ output: AVCaptureOutput) {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/beginconfiguration()
  open func beginConfiguration() {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/commitconfiguration()
  open func commitConfiguration() {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/startrunning()
  open func startRunning() {}
  /// https://developer.apple.com/documentation/avfoundation/avcapturesession/stoprunning()
  open func stopRunning() {}
}

/// https://developer.apple.com/documentation/avfoundation/avcapturevideopreviewlayer
open class AVCaptureVideoPreviewLayer: CALayer {
  /// https://developer.apple.com/documentation/avfoundation/avcapturevideopreviewlayer/session
  open var session: AVCaptureSession? {
    get { fatalError() }
    set {}
  }
  /// https://developer.apple.com/documentation/avfoundation/avcapturevideopreviewlayer/videogravity
  open var videoGravity: AVLayerVideoGravity {
    get { fatalError() }
    set {}
  }
}
