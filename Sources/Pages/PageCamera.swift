import Aim

/// The page's camera: a picture in which a face follows the pointer. What it sees becomes a command
/// as in `sentrybench aim`.
struct PageCamera: Sendable {
  /// The face's size, as a share of the picture's.
  private static let face = (width: 0.19, height: 0.57)

  private var aimer = try? Aimer(camera: Camera(image: Size(320, 120)))

  /// Takes a picture with a face whose middle is at `place`: two numbers from 0 to 1, with the
  /// origin at the lower left. If `place` is empty, there is no face. Returns the command for the
  /// turret; empty if the last one still holds.
  mutating func look(_ place: String) throws(PageFailure) -> String {
    let numbers = place.split(separator: " ").map { Double($0) }
    var found: [Observation] = []
    switch (numbers.count, numbers.first ?? nil, numbers.last ?? nil) {
    case (0, _, _): break
    case (2, let x?, let y?) where x.isFinite && y.isFinite:
      let box = Box(
        x - Self.face.width / 2, y - Self.face.height / 2, Self.face.width, Self.face.height)
      found = [Observation(.face, box: box)]
    default: throw PageFailure("expected two numbers from 0 to 1 after look, or none")
    }
    return aimer?.see(Frame(time: 0, found: found)).command?.text ?? ""
  }
}
