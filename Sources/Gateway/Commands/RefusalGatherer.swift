/// Puts together what is parsed from one message, so that a message full of junk is not answered with
/// a refusal for every byte.
struct RefusalGatherer {
  /// Refusals from one message. What there is beyond is added to the last one, which then comes last.
  static let refusalsMax = 16

  private var found: [Parsed] = []
  /// The refusal that can still grow.
  private var open: Refusal?
  private var refusals = 0

  mutating func add(_ command: Command) {
    if refusals < Self.refusalsMax { close() }
    found.append(.command(command))
  }

  mutating func add(_ refusal: Refusal) {
    guard refusals == Self.refusalsMax else { return begin(refusal) }
    open?.absorb(refusal)
  }

  mutating func add(junk byte: UInt8, _ why: Refusal.Why) {
    if open?.absorb(byte, why) != true { add(Refusal([byte], why: why)) }
  }

  mutating func finish() -> [Parsed] {
    close()
    return found
  }

  private mutating func begin(_ refusal: Refusal) {
    close()
    open = refusal
    refusals += 1
  }

  private mutating func close() {
    if let open { found.append(.refused(open)) }
    open = nil
  }
}
