#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The two functions that the standard library lacks, in degrees.
enum Trigonometry {
  static func tangent(ofDegrees degrees: Double) -> Double { tan(degrees * .pi / 180) }

  static func degrees(ofArctangent tangent: Double) -> Double { atan(tangent) * 180 / .pi }
}
