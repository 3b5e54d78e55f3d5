// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TurretSender",
  platforms: [.macOS(.v15)],
  products: [.library(name: "TurretSender", targets: ["TurretSender"])],
  dependencies: [
    // In your own package, where OWNER is the account that has your copy of SentryBench:
    // .package(url: "https://github.com/OWNER/sentrybench", branch: "main", traits: [])
    .package(name: "sentrybench", path: "../../..", traits: [])
  ],
  targets: [
    .target(name: "TurretSender"),
    .testTarget(
      name: "TurretSenderTests",
      dependencies: [
        "TurretSender", .product(name: "SentryBenchTesting", package: "sentrybench"),
      ]),
  ]
)
