// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Overhead",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "sentrybench", path: "../..", traits: [])],
  targets: [
    .testTarget(
      name: "OverheadTests",
      dependencies: [.product(name: "SentryBenchTesting", package: "sentrybench")])
  ]
)
