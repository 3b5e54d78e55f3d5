import Testing

@testable import AVR

struct TimeSharesTests {
  /// An interrupt (call 1) that calls print (2), which calls write (3), and delay (4).
  private static let tree: CallTree = {
    var tree = CallTree()
    let interrupt = tree.child(of: 0, .init(site: 0x20, entry: 0x4, vector: 1))
    let print = tree.child(of: interrupt, .init(site: 0x102, entry: 0x200))
    _ = tree.child(of: print, .init(site: 0x210, entry: 0x300))
    _ = tree.child(of: interrupt, .init(site: 0x104, entry: 0x400))
    return tree
  }()

  private static let start = RunRecord.Place(node: 1, pc: 0x4)

  @Test(
    arguments: [
      // How long each call runs, in turn, and which is named with its instruction.
      ([(1, 10), (2, 40), (4, 3_000), (1, 10)], 4, 0x408),
      ([(1, 10), (3, 400), (2, 30), (1, 10)], 3, 0x306),
      // Only together with write, print takes most of the time.
      ([(2, 100), (3, 100), (4, 150)], 2, 0x204),
      ([(3, 90), (4, 90)], 1, 0x4), ([(1, 100), (4, 90)], 1, 0x4), ([], 1, 0x4),
    ] as [([(Int32, UInt64)], Int32, UInt16)])
  func `The call that took most of the time is named, or else the interrupt`(
    runs: [(Int32, UInt64)], node: Int32, pc: UInt16
  ) {
    var shares = TimeShares()
    shares.begin(at: 1_000)
    var cycle: UInt64 = 1_000
    for (node, cycles) in runs {
      cycle += cycles
      let pc = UInt16(node) << 8 + UInt16(node) * 2
      shares.add(RunRecord.Place(node: node, pc: pc), until: cycle)
    }
    let most = shares.most(from: Self.start, Self.tree)
    #expect(most == RunRecord.Place(node: node, pc: pc))
  }

  @Test func `A call that only waited for another is where it made that call`() {
    var shares = TimeShares()
    shares.begin(at: 0)
    shares.add(RunRecord.Place(node: 3, pc: 0x306), until: 40)
    shares.add(RunRecord.Place(node: 4, pc: 0x408), until: 60)
    shares.begin(at: 60)
    shares.add(RunRecord.Place(node: 3, pc: 0x306), until: 90)
    #expect(shares.most(from: Self.start, Self.tree).node == 3)
    var tree = Self.tree
    let other = tree.child(of: 2, .init(site: 0x220, entry: 0x500))
    shares.add(RunRecord.Place(node: other, pc: 0x502), until: 120)
    #expect(shares.most(from: Self.start, tree) == RunRecord.Place(node: 2, pc: 0x210))
  }
}
