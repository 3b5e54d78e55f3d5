import Sketches
import Testing
import Traces

@testable import Sessions

@Suite("Where a replay ends")
struct ReplayStatesTests {
  private static let header = Header(
    firmware: .guarded, baud: 9_600, duration: .seconds(5), title: nil)

  @Test("It ends with the trace or before", arguments: [nil, 1, 5] as [Int64?])
  func inside(second: Int64?) throws {
    let states = ReplayStates(end: second.map { .zero + .seconds($0) })
    try states.check(Self.header, against: nil)
  }

  @Test func `An end after the trace's is refused, and the message says where that is`() {
    let states = ReplayStates(end: .zero + .seconds(6))
    let error = #expect(throws: Failure.self) {
      try states.check(Self.header, against: nil)
    }
    #expect(error?.message == "--until is after the trace's end, which is at 5 s.")
    #expect(error?.isMisuse == true)
  }
}
