import Foundation

/// The functions of the library that `.ci/lockstep` builds around libsimavr. The environment
/// variable `SENTRY_SIMAVR` contains its path.
struct SimavrLibrary {
  typealias Handle = OpaquePointer
  typealias Read = @convention(c) (UnsafeMutableRawPointer?, UInt16) -> UInt8
  typealias Agrees =
    @convention(c) (Handle, UnsafePointer<UInt8>, UInt8, UInt16, UInt16, UInt64) -> CInt

  struct Unavailable: Error, CustomStringConvertible {
    var description: String
  }

  /// Whether the tests that require the library should run. Its absence is then a failure.
  static var isAsked: Bool { path != nil }
  private static var path: String? { ProcessInfo.processInfo.environment["SENTRY_SIMAVR"] }

  let create: @convention(c) (Read, UnsafeMutableRawPointer?) -> Handle?
  let destroy: @convention(c) (Handle) -> Void
  let program: @convention(c) (Handle, UInt16, UInt16) -> Void
  let load: @convention(c) (Handle, UnsafePointer<UInt8>) -> Void
  let step: @convention(c) (Handle) -> Void
  let interrupt: @convention(c) (Handle, UInt16, UInt64) -> Void
  let correct: @convention(c) (Handle, UInt16, UInt64) -> Void
  let agrees: Agrees
  let readState: @convention(c) (Handle, UnsafeMutableRawPointer) -> Void
  let compareSRAM: @convention(c) (Handle, UnsafePointer<UInt8>) -> CInt

  let createWhole: @convention(c) (UnsafePointer<UInt8>, UInt32) -> Handle?
  let destroyWhole: @convention(c) (Handle) -> Void
  let runWhole: @convention(c) (Handle, UInt64) -> CInt
  let sendWhole: @convention(c) (Handle, UInt8, UInt64) -> Void
  let countWhole: @convention(c) (Handle) -> UInt32
  let readWhole: @convention(c) (Handle, UInt32, UnsafeMutableRawPointer) -> Void

  init() throws(Unavailable) {
    guard let path = Self.path else { throw Unavailable(description: "SENTRY_SIMAVR is not set") }
    // Never closed, as simavr keeps its logger in it.
    guard let library = dlopen(path, RTLD_NOW) else {
      throw Unavailable(description: dlerror().map { String(cString: $0) } ?? path)
    }
    func find<Function>(_ name: String) throws(Unavailable) -> Function {
      guard let symbol = dlsym(library, name) else {
        throw Unavailable(description: "\(path) has no \(name)")
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
    create = try find("lockstep_create")
    destroy = try find("lockstep_destroy")
    program = try find("lockstep_program")
    load = try find("lockstep_load")
    step = try find("lockstep_step")
    interrupt = try find("lockstep_interrupt")
    correct = try find("lockstep_correct")
    agrees = try find("lockstep_agrees")
    readState = try find("lockstep_read_state")
    compareSRAM = try find("lockstep_compare_sram")
    createWhole = try find("whole_create")
    destroyWhole = try find("whole_destroy")
    runWhole = try find("whole_run")
    sendWhole = try find("whole_send")
    countWhole = try find("whole_count")
    readWhole = try find("whole_read")
  }
}
