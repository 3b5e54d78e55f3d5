import Guarded
import Sketches
import Testing

@Suite struct ScanPositionTests {
  @Test func `It takes the same steps as the sweep that runs on the chip`() {
    for present in UInt8(0)...180 {
      var sweep = Sweep(from: present)
      var scan = ScanPosition(from: present, in: 20...160)
      for _ in 0..<600 {
        #expect(scan.next == sweep.next && scan.isRising == sweep.isRising)
        #expect(scan.advance(in: 20...160) == sweep.advance())
      }
    }
  }

  @Test func `It turns at the ends of any range, which it writes twice`() {
    var scan = ScanPosition(from: 49, in: 48...51)
    let angles = (0..<10).map { _ in
      defer { _ = scan.advance(in: 48...51) }
      return scan.next
    }
    #expect(angles == [49, 50, 51, 51, 50, 49, 48, 48, 49, 50])
  }
}
