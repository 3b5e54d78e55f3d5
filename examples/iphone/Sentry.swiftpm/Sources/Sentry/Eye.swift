import AVFoundation
import Aim
import CoreMedia
import CoreVideo
import Foundation
import SentryCore

/// The camera. Captures pictures and examines each at once, on a queue of its own.
///
/// The compiler cannot check that this is Sendable, because `DispatchQueue` is not an actor. All
/// variables are used only on `queue`, which is also the delegate's. Of the session, the preview
/// uses only its identity.
nonisolated final class Eye: NSObject, AVCaptureVideoDataOutputSampleBufferDelegate,
  @unchecked Sendable
{
  let session = AVCaptureSession()
  private let queue = DispatchQueue(label: "camera")
  private let output = AVCaptureVideoDataOutput()
  private var detector: Detector?
  /// The camera that is the session's input; nil if there is none.
  private var side: CameraSide?
  private var found: AsyncStream<Picture>.Continuation?

  /// Asks for permission to use the camera if nobody has been asked yet.
  static func isPermitted() async -> Bool {
    switch AVCaptureDevice.authorizationStatus(for: .video) {
    case .authorized: true
    case .notDetermined: await AVCaptureDevice.requestAccess(for: .video)
    default: false
    }
  }

  /// Returns what is found from now on. Only the newest picture waits: an older one shows where the
  /// face was.
  func pictures() -> AsyncStream<Picture> {
    let (pictures, found) = AsyncStream.makeStream(
      of: Picture.self, bufferingPolicy: .bufferingNewest(1))
    queue.async {
      self.found?.finish()
      self.found = found
    }
    return pictures
  }

  func start(_ settings: SentrySettings) {
    queue.async {
      self.apply(settings)
      self.session.startRunning()
    }
  }

  func change(_ settings: SentrySettings) {
    queue.async { self.apply(settings) }
  }

  /// Loads the model again, after another was installed.
  func reload(_ settings: SentrySettings) {
    queue.async {
      self.detector = nil
      self.apply(settings)
    }
  }

  func stop() {
    queue.async { self.session.stopRunning() }
  }

  private func apply(_ settings: SentrySettings) {
    if detector?.detection != settings.detection { detector = Detector(settings.detection) }
    guard side != settings.side else { return }
    session.beginConfiguration()
    defer { session.commitConfiguration() }
    for input in session.inputs { session.removeInput(input) }
    side = nil
    // The picture is scaled for the detectors anyway.
    session.sessionPreset = .hd1280x720
    let position: AVCaptureDevice.Position = settings.side == .back ? .back : .front
    guard
      let camera = AVCaptureDevice.default(
        .builtInWideAngleCamera, for: .video, position: position),
      let input = try? AVCaptureDeviceInput(device: camera), session.canAddInput(input)
    else { return report(.noCamera(settings.side), settings) }
    session.addInput(input)
    if session.outputs.isEmpty, session.canAddOutput(output) {
      // A late frame aims at where the face was.
      output.alwaysDiscardsLateVideoFrames = true
      output.setSampleBufferDelegate(self, queue: queue)
      session.addOutput(output)
    }
    // `Mounting` describes what the sensor delivers: neither turned nor mirrored.
    if let connection = output.connection(with: .video) {
      if connection.isVideoRotationAngleSupported(0) { connection.videoRotationAngle = 0 }
      if connection.isVideoMirroringSupported {
        connection.automaticallyAdjustsVideoMirroring = false
        connection.isVideoMirrored = false
      }
    }
    side = settings.side
  }

  func captureOutput(
    _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
    from connection: AVCaptureConnection
  ) {
    guard let side, let detector, let pixels = CMSampleBufferGetImageBuffer(sampleBuffer) else {
      return
    }
    var picture = Picture(
      time: CMSampleBufferGetPresentationTimeStamp(sampleBuffer).seconds,
      image: Size(Double(CVPixelBufferGetWidth(pixels)), Double(CVPixelBufferGetHeight(pixels))),
      side: side, mode: detector.detection.mode, found: [])
    do {
      picture.found = try detector.examine(sampleBuffer, Mounting(side))
    } catch {
      picture.trouble = error
    }
    found?.yield(picture)
  }

  /// Reports what is wrong as a picture in which nothing was found.
  private func report(_ trouble: Trouble, _ settings: SentrySettings) {
    found?.yield(
      Picture(
        time: 0, image: Size(1280, 720), side: settings.side, mode: settings.mode, found: [],
        trouble: trouble))
  }
}
