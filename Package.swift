// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Optimized as a whole even in debug builds: devices run minutes of emulated and simulated time.
let core =
  settings + [
    .unsafeFlags(
      ["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))
  ]

/// Also optimized for the tests, which verify hours of sessions. `make run` shows only one session,
/// and is built in half the time without this.
let optimized = Context.environment["SENTRY_QUICK_BUILD"] == nil ? core : settings

/// The command line is not optimized even in releases: it runs once, and the many generic options
/// would take most of the compile time.
let commandLine = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The packages of the products that are not a module of the same name.
let packages = [
  "ArgumentParser": "swift-argument-parser", "Logging": "swift-log",
  "SystemPackage": "swift-system", "NIOCore": "swift-nio", "NIOEmbedded": "swift-nio",
  "NIOHTTP1": "swift-nio", "NIOPosix": "swift-nio", "NIOTLS": "swift-nio",
  "NIOWebSocket": "swift-nio", "NIOSSL": "swift-nio-ssl",
]

/// What a target imports, from the names of modules and products, divided by spaces.
func imports(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { name in
    guard let package = packages[String(name)] else { return .byName(name: String(name)) }
    return .product(
      name: String(name), package: package,
      condition: name == "NIOSSL" ? .when(traits: ["TLS"]) : nil)
  }
}

/// - Parameters:
///   - embedded: files whose bytes become a part of the program.
///   - linked: what a program that uses neither Foundation nor Glibc would miss.
func module(
  _ name: String, _ names: String = "", built: [SwiftSetting] = settings, embedded: [String] = [],
  linked: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: imports(names), resources: embedded.map { .embedInCode($0) },
    swiftSettings: built, linkerSettings: linked)
}

/// A module that only tests import.
func support(_ name: String, _ names: String) -> Target {
  .target(
    name: name, dependencies: imports(names), path: "Tests/\(name)", swiftSettings: settings)
}

/// The tests of a module: that of their name, unless another is given.
func tests(
  _ name: String, of module: String? = nil, _ names: String = "", exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: imports("\(module ?? name) TestSupport \(names)"),
    exclude: exclude, swiftSettings: settings)
}

/// A C library of the system.
func library(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
  name: "SentryBench",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "sentrybench", targets: ["sentrybench"]),
    .library(name: "Aim", targets: ["Aim"]),
    .library(name: "TurretLink", targets: ["TurretLink"]),
    .library(name: "TurretSocket", targets: ["TurretSocket"]),
    .library(name: "TurretNIO", targets: ["TurretNIO"]),
    .library(name: "SentryBenchModels", targets: ["SentryBenchModels"]),
    .library(name: "SentryBenchTesting", targets: ["SentryBenchTesting"]),
  ],
  traits: [
    .trait(name: "TLS", description: "Serves and speaks wss://, with BoringSSL."),
    .default(enabledTraits: ["TLS"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    module("Guarded", built: core),
    module(
      "Sketches", "Guarded", built: core,
      linked: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    module("Traces", "Sketches", built: optimized),
    module("AVR", built: core),
    module("Devices", "Sketches Traces", built: core),
    module("Captures", "Devices Sketches Traces", built: optimized),
    module("ChipDevice", "AVR Devices Sketches Traces", built: core),
    module("GDB", "AVR ChipDevice Devices Sketches Traces", built: optimized),
    module("States", "AVR ChipDevice Devices Sketches Traces", built: optimized),
    module("Judging", "Devices Sketches Traces", built: optimized),
    module("Aim", "Sketches Traces", built: optimized),
    module("TurretLink", "Aim Sketches Traces"),
    module("TurretSocket", "Aim TurretLink"),
    module("TurretNIO", "Aim Network Sketches TurretLink NIOCore NIOPosix"),
    module("Engine", "Aim Devices Judging Sketches Traces", built: optimized),
    module(
      "Pictures", "Devices Judging Sketches Traces", built: optimized,
      embedded: ["session.js", "drawing.js", "page.js", "page.css"].map { "Report/Page/\($0)" }),
    module(
      "Pages",
      "AVR Aim Captures ChipDevice Devices Engine Judging Pictures Sketches Traces TurretLink"),
    library("CYAML", "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    library("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
    .systemLibrary(name: "CEpoll"),
    module(
      "Platform", "CEpoll CYAML CZlib Captures Judging Sketches Traces Logging SystemPackage"),
    module(
      "Network",
      "Engine Platform Sketches Traces TurretLink Logging NIOCore NIOHTTP1 NIOPosix NIOSSL"
        + " NIOTLS NIOWebSocket SystemPackage"),
    library("CSerialPort", "libserialport", apt: "libserialport-dev", brew: "libserialport"),
    module(
      "Serial",
      "CSerialPort Devices Network Platform Sketches Traces TurretLink NIOCore SystemPackage"),
    module(
      "Sessions",
      "AVR Aim Captures ChipDevice Devices Engine GDB Judging Network Pictures Platform Serial"
        + " Sketches States Traces TurretLink Logging SystemPackage"),
    .executableTarget(
      name: "sentrybench",
      dependencies: imports(
        "AVR Aim Captures ChipDevice Devices Engine Judging Network Platform Serial Sessions"
          + " Sketches Traces ArgumentParser Logging"),
      swiftSettings: commandLine),
    module("SentryBenchModels", "Devices Engine Judging Pictures Sketches Traces"),
    module(
      "SentryBenchTesting",
      "Aim Devices Engine Judging Platform SentryBenchModels Sessions Sketches Traces"
        + " SystemPackage"),
    support("TestSupport", "Platform Sketches Traces TurretLink SystemPackage"),
    support(
      "NetworkTestSupport",
      "Engine Network Platform Sketches Logging NIOCore NIOPosix"),
    tests("Guarded", "Sketches"),
    tests("Sketches", "Guarded"),
    tests("Traces", "Sketches"),
    tests("AVR", exclude: ["Debugged"]),
    tests("Firmware", of: "AVR"),
    tests("Devices", "AVR ChipDevice Sketches Traces"),
    tests("Captures", "Devices Sketches Traces"),
    tests("ChipDevice", "AVR Devices Engine Sketches Traces"),
    tests("GDB", "AVR ChipDevice Devices Sketches Traces"),
    tests("States", "AVR ChipDevice Devices Sketches Traces"),
    tests("Judging", "Devices Sketches Traces"),
    tests(
      "Engine", "AVR Aim ChipDevice Devices Judging Sketches Traces",
      exclude: ["Simulation/simulate"]),
    tests("Pictures", "Devices Judging Sketches Traces"),
    tests("Aim"),
    tests("TurretLink", "Aim Sketches"),
    tests("TurretSocket", "Aim TurretLink"),
    tests("Pages", "Aim Devices Engine Judging Platform Sketches Traces"),
    tests(
      "Binary", of: "AVR",
      "ChipDevice Devices Guarded Judging Platform Sketches Traces",
      exclude: ["Symbols", "Timings"]),
    tests("Platform", "Captures Judging Sketches Traces Logging SystemPackage"),
    tests(
      "Network",
      "Aim Devices Engine NetworkTestSupport Platform Sketches Traces TurretLink TurretNIO Logging"
        + " NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOSSL SystemPackage"),
    tests(
      "Serial",
      "Devices Engine Judging Network Platform Sketches Traces NIOCore SystemPackage",
      exclude: ["ModemShim"]),
    tests(
      "Sessions",
      "AVR Aim Captures ChipDevice Devices Engine GDB Judging Network Pictures Platform Serial"
        + " Sketches Traces TurretLink SystemPackage"),
    .testTarget(
      name: "SentryBenchModelsTests", dependencies: ["SentryBenchModels"], swiftSettings: settings),
    tests("SentryBenchTesting", "Devices Judging Platform Sessions Sketches SystemPackage"),
    tests(
      "Command", of: "sentrybench",
      "Network Pages Platform Sketches Traces ArgumentParser", exclude: ["Aim/Observations"]),
  ]
)

// Only `make docs` needs the plugin.
if Context.environment["SENTRY_DOCS"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
