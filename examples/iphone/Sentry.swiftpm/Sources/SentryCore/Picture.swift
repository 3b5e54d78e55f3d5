public import Aim

/// What the detector found in a picture of the camera.
public struct Picture: Hashable, Sendable {
  /// Seconds on the camera's clock.
  public var time: Double
  /// The size of the buffer in pixels.
  public var image: Size
  /// The camera that took it.
  public var side: CameraSide
  /// The mode in which it was examined.
  public var mode: Mode
  public var found: [Observation]
  /// Why nothing could be examined; nil if it was.
  public var trouble: Trouble?

  public init(
    time: Double, image: Size, side: CameraSide, mode: Mode, found: [Observation],
    trouble: Trouble? = nil
  ) {
    self.time = time
    self.image = image
    self.side = side
    self.mode = mode
    self.found = found
    self.trouble = trouble
  }
}

/// Why the camera or the detector cannot work. The description is shown in the app.
public enum Trouble: Error, Hashable, Sendable, CustomStringConvertible {
  case noPermission
  case noCamera(CameraSide)
  case noModel(Mode)
  /// The file's name.
  case notAModel(String)
  /// The model's results are not those that the mode requires.
  case wrongModel(Mode)
  /// The system's reason.
  case failed(String)

  public var description: String {
    switch self {
    case .noPermission: "The app may not use the camera. Allow it in Settings > Privacy > Camera."
    case .noCamera(let side): "This device has no \(side.rawValue) camera."
    case .noModel(let mode): "Choose a Core ML model for the mode \(mode.title) in the settings."
    case .notAModel(let name): "\(name) is not a Core ML model (.mlmodel or .mlpackage)."
    case .wrongModel(.label): "The model is not a classifier: it returned no labels."
    case .wrongModel:
      "The model is not an object detector: it returned no boxes with labels. A model without its"
        + " own non-maximum suppression cannot be used."
    case .failed(let reason): "The picture could not be examined: \(reason)"
    }
  }
}

/// The file of a Core ML model.
public enum ModelFile {
  public static let types = ["mlmodel", "mlpackage"]

  /// Fails if the name is not that of a model that can be compiled.
  public static func check(_ name: String) throws(Trouble) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let type = parts.last, types.contains(type.lowercased()) else {
      throw .notAModel(name)
    }
  }

  /// The name of the compiled model that the mode uses.
  public static func compiled(for mode: Mode) -> String { "\(mode.rawValue).mlmodelc" }
}
