package import Sketches

/// What a camera can see: faces that move, and how the camera sees them.
package struct Scene: Hashable, Sendable {
  /// A face, as wide and high as most.
  package struct Face: Hashable, Sendable {
    package var path: FacePath
    /// In metres.
    package var width = 0.16
    package var height = 0.22

    package init(_ path: FacePath) { self.path = path }
  }

  /// The first is the one that the turret is to follow.
  package var faces: [Face]
  package var camera: SceneCamera
  package var detector: Detector

  package init(faces: [Face], camera: SceneCamera, detector: Detector = Detector()) {
    self.faces = faces
    self.camera = camera
    self.detector = detector
  }

  /// Returns where the faces are in a picture taken at an instant, while the turret's shafts are at
  /// these angles, in degrees. Those that are hidden or outside the picture are left out.
  package func boxes(at instant: Instant, shaft: Double, tilt: Double = 90) -> [Box] {
    faces.compactMap { face in
      let place = face.path.place(at: instant)
      return place.isHidden ? nil : camera.box(of: face, in: place, shaft: shaft, tilt: tilt)
    }
  }

  /// Whether a picture shows the face that the turret is to follow; nil while that is hidden.
  package func showsTarget(at instant: Instant, shaft: Double, tilt: Double = 90) -> Bool? {
    guard let face = faces.first else { return nil }
    let place = face.path.place(at: instant)
    return place.isHidden
      ? nil : camera.box(of: face, in: place, shaft: shaft, tilt: tilt) != nil
  }

  /// Whether the face that the turret is to follow is higher or lower than what a camera sees that
  /// does not tilt.
  package func isTargetBeyondHeight(at instant: Instant) -> Bool {
    guard let face = faces.first else { return false }
    return abs(face.path.place(at: instant).tilt - 90) > camera.verticalFOV / 2
  }
}

/// A camera that looks at a scene, on the turret or beside it.
package struct SceneCamera: Hashable, Sendable {
  package enum Mount: Hashable, Sendable {
    /// It always looks there, in degrees of the turret.
    case fixed(Double)
    /// It looks where the turret points, and so many degrees further to the right.
    case turret(offset: Double)
  }

  package var mount = Mount.fixed(90)
  /// The horizontal field of view, in degrees.
  package var fov = 60.0
  /// In pixels.
  package var size = Size(640, 480)
  /// The time from one picture to the next.
  package var period = Interval.nanoseconds(33_333_333)
  /// How long a picture is exposed. It shows the middle of that time; nothing is blurred.
  package var exposure = Interval.milliseconds(10)
  /// The time from the end of an exposure until the program knows what is in the picture.
  package var delay = Interval.milliseconds(80)
  /// By how much that differs from picture to picture, to either side.
  package var jitter = Interval.zero
  package var isMirrored = false

  package init() {}

  /// Where the camera looks, in degrees of the turret.
  package func axis(shaft: Double) -> Double {
    switch mount {
    case .fixed(let degrees): degrees
    case .turret(let offset): shaft + offset
    }
  }

  /// How far down it looks, in degrees of the turret: 90 is level.
  package func tiltAxis(tilt: Double) -> Double { view == nil ? 90 : tilt }

  /// The vertical field of view, in degrees. Pixels are square.
  package var verticalFOV: Double {
    2
      * Trigonometry.degrees(
        ofArctangent: Trigonometry.tangent(ofDegrees: fov / 2) * size.height / size.width)
  }

  /// What it sees on a turret, in degrees from where the shaft points; nil if it is beside it.
  package var view: ClosedRange<Double>? {
    guard case .turret(let offset) = mount else { return nil }
    return offset - fov / 2...offset + fov / 2
  }

  /// The camera as a program's header of observations states it.
  package var camera: Camera { Camera(image: size, mirrored: isMirrored, fov: fov) }

  /// Returns where a face appears while the turret's shafts are at these angles, in degrees; nil if
  /// it is outside the picture.
  fileprivate func box(
    of face: Scene.Face, in place: FacePath.Place, shaft: Double, tilt: Double
  ) -> Box? {
    let right = place.degrees - axis(shaft: shaft)
    let box = box(
      of: face, at: right, up: 90 - place.tilt, distance: place.distance,
      lookingUp: 90 - tiltAxis(tilt: tilt))
    return box.flatMap { $0.isPlausible ? $0 : nil }
  }

  /// The cosine of 85 degrees: what is further from the axis is beside the camera.
  private static let leastAlong = 0.087

  /// Returns where a face appears that is `distance` metres away, `degrees` to the right of the
  /// axis, and `elevation` degrees above the horizon; nil if it is beside or behind the camera,
  /// which looks `pitch` degrees above the horizon.
  func box(
    of face: Scene.Face, at degrees: Double, up elevation: Double = 0, distance: Double,
    lookingUp pitch: Double = 0
  ) -> Box? {
    guard abs(degrees) < 85, abs(elevation) < 85, abs(pitch) < 85, distance > 0 else { return nil }
    let half = Trigonometry.tangent(ofDegrees: fov / 2)
    // The way to the face: to the right, up, and 1 ahead on the level.
    let right = Trigonometry.tangent(ofDegrees: degrees)
    let ahead = (1 + right * right).squareRoot()
    let up = Trigonometry.tangent(ofDegrees: elevation) * ahead
    // The same in the camera's picture, which the tilt turns around the line from left to right.
    let slope = Trigonometry.tangent(ofDegrees: pitch)
    let cosine = 1 / (1 + slope * slope).squareRoot()
    let along = (1 + up * slope) * cosine
    let above = (up - slope) * cosine
    let length = (1 + right * right + up * up).squareRoot()
    guard along > Self.leastAlong * length else { return nil }
    // The distance along the axis is shorter.
    let depth = distance * along / length
    let width = face.width / depth / (2 * half)
    let height = face.height / depth / (2 * half) * (size.width / size.height)
    let x = 0.5 + right / along / (2 * half)
    let y = 0.5 + above / along / (2 * half) * (size.width / size.height)
    return Box((isMirrored ? 1 - x : x) - width / 2, y - height / 2, width, height)
  }
}

/// How a detector errs.
package struct Detector: Hashable, Sendable {
  /// The standard deviation of a box's place and size, in pixels.
  package var noise = 0.0
  /// The share of faces that it does not find, 0...1.
  package var misses = 0.0
  /// How many faces it finds that are none, a second.
  package var falseRate = 0.0

  package init() {}

  /// Returns what it finds in a picture with faces in these places.
  package func find(
    _ boxes: [Box], by camera: SceneCamera, _ random: inout RandomStream
  ) -> [Observation] {
    var found: [Observation] = []
    for var box in boxes {
      let isMissed = misses > 0 && random.happens(with: misses)
      if noise > 0 {
        let (x, y) = (noise / camera.size.width, noise / camera.size.height)
        let (dx, dy, size) = (random.bell() * x, random.bell() * y, random.bell() * x / 2)
        box = Box(box.x + dx - size, box.y + dy, max(x, box.width + 2 * size), box.height)
      }
      if !isMissed { found.append(Observation(.face, box: box, confidence: 0.9)) }
    }
    if falseRate > 0, random.happens(with: min(1, falseRate * camera.period.seconds)) {
      let size = 0.04 + 0.08 * random.fraction()
      found.append(
        Observation(
          .face,
          box: Box(
            random.fraction() * (1 - size), random.fraction() * (1 - size), size, size),
          confidence: 0.6))
    }
    return found
  }
}
