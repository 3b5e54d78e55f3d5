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

  /// Returns where the faces are in a picture taken at an instant, while the turret's shaft is at
  /// `shaft` degrees. Those that are hidden or outside the picture are left out.
  package func boxes(at instant: Instant, shaft: Double) -> [Box] {
    let axis = camera.axis(shaft: shaft)
    return faces.compactMap { face in
      let place = face.path.place(at: instant)
      return place.isHidden ? nil : camera.box(of: face, in: place, axis)
    }
  }

  /// Whether a picture shows the face that the turret is to follow; nil while that is hidden.
  package func showsTarget(at instant: Instant, shaft: Double) -> Bool? {
    guard let face = faces.first else { return nil }
    let place = face.path.place(at: instant)
    return place.isHidden ? nil : camera.box(of: face, in: place, camera.axis(shaft: shaft)) != nil
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

  /// What it sees on a turret, in degrees from where the shaft points; nil if it is beside it.
  package var view: ClosedRange<Double>? {
    guard case .turret(let offset) = mount else { return nil }
    return offset - fov / 2...offset + fov / 2
  }

  /// The camera as a program's header of observations states it.
  package var camera: Camera { Camera(image: size, mirrored: isMirrored, fov: fov) }

  /// Returns where a face appears while the camera looks at `axis`, in degrees of the turret; nil
  /// if it is outside the picture.
  fileprivate func box(of face: Scene.Face, in place: FacePath.Place, _ axis: Double) -> Box? {
    box(of: face, at: place.degrees - axis, distance: place.distance).flatMap {
      $0.isPlausible ? $0 : nil
    }
  }

  /// Returns where a face appears that is `degrees` to the right of the axis and `distance` metres
  /// away; nil if it is beside or behind the camera.
  func box(of face: Scene.Face, at degrees: Double, distance: Double) -> Box? {
    guard abs(degrees) < 85, distance > 0 else { return nil }
    let half = Trigonometry.tangent(ofDegrees: fov / 2)
    let tangent = Trigonometry.tangent(ofDegrees: degrees)
    // The distance along the axis is shorter.
    let depth = distance / (1 + tangent * tangent).squareRoot()
    let width = face.width / depth / (2 * half)
    let height = face.height / depth / (2 * half) * (size.width / size.height)
    let x = 0.5 + tangent / (2 * half)
    return Box((isMirrored ? 1 - x : x) - width / 2, 0.5 - height / 2, width, height)
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
