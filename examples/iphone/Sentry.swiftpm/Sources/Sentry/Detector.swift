import Aim
import CoreML
import CoreMedia
import Foundation
import ImageIO
import SentryCore
import Vision

/// Vision's requests for one mode. Not Sendable: it stays on the camera's queue.
///
/// The requests are those with the prefix VN, because they return before the next frame arrives.
/// Those of iOS 18 without it are asynchronous: a frame, which is not Sendable, would leave the
/// camera's queue, and late frames would no longer be discarded.
nonisolated struct Detector {
  private enum Work {
    case faces
    case model(VNCoreMLModel)
    case none(Trouble)
  }

  let detection: Detection
  private let work: Work
  private var mode: Mode { detection.mode }

  /// Loads the model, if the mode requires one.
  init(_ detection: Detection) {
    self.detection = detection
    guard detection.mode.needsModel else {
      work = .faces
      return
    }
    do {
      work = .model(try ModelStore.model(for: detection.mode))
    } catch {
      work = .none(error)
    }
  }

  func examine(_ buffer: CMSampleBuffer, _ mounting: Mounting) throws(Trouble) -> [Observation] {
    guard let orientation = CGImagePropertyOrientation(rawValue: mounting.exif) else { return [] }
    let handler = VNImageRequestHandler(cmSampleBuffer: buffer, orientation: orientation)
    do {
      switch work {
      case .faces where detection.landmarks:
        let request = VNDetectFaceLandmarksRequest()
        try handler.perform([request])
        return (request.results ?? []).map { Observation($0) }
      case .faces:
        let request = VNDetectFaceRectanglesRequest()
        try handler.perform([request])
        return (request.results ?? []).map { Observation($0) }
      case .model(let model):
        let request = VNCoreMLRequest(model: model)
        request.imageCropAndScaleOption = mode.crop == .square ? .centerCrop : .scaleFill
        try handler.perform([request])
        return try observations(request.results ?? [])
      case .none(let trouble): throw trouble
      }
    } catch let trouble as Trouble {
      throw trouble
    } catch {
      throw .failed(error.localizedDescription)
    }
  }

  private func observations(_ results: [VNObservation]) throws(Trouble) -> [Observation] {
    if mode == .label {
      guard let classes = results as? [VNClassificationObservation] else {
        throw .wrongModel(mode)
      }
      return classes.map {
        Observation(.class, box: nil, confidence: Double($0.confidence), label: $0.identifier)
      }
    }
    guard let objects = results as? [VNRecognizedObjectObservation] else {
      throw .wrongModel(mode)
    }
    return objects.map { Observation($0) }
  }
}

nonisolated extension Observation {
  init(_ face: VNFaceObservation) {
    var landmarks: [String: [Point]] = [:]
    if let found = face.landmarks {
      landmarks["leftEye"] = found.leftEye.map { Point.points($0) }
      landmarks["rightEye"] = found.rightEye.map { Point.points($0) }
      landmarks["nose"] = found.nose.map { Point.points($0) }
      landmarks["outerLips"] = found.outerLips.map { Point.points($0) }
    }
    self.init(
      .face, box: Box(face.boundingBox), confidence: Double(face.confidence), landmarks: landmarks)
  }

  /// The label is the one in which the model is most confident; Vision sorts them.
  init(_ object: VNRecognizedObjectObservation) {
    let best = object.labels.first
    self.init(
      .object, box: Box(object.boundingBox), confidence: Double(best?.confidence ?? 0),
      label: best?.identifier)
  }
}

nonisolated extension Box {
  /// Vision's boxes are normalized, with the origin at the lower left, like those of `Aim`.
  init(_ rect: CGRect) {
    self.init(
      Double(rect.origin.x), Double(rect.origin.y), Double(rect.size.width),
      Double(rect.size.height))
  }
}

nonisolated extension Point {
  static func points(_ region: VNFaceLandmarkRegion2D) -> [Point] {
    region.normalizedPoints.map { Point(Double($0.x), Double($0.y)) }
  }
}
