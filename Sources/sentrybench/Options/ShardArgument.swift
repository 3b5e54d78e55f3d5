import ArgumentParser
import Sessions

/// One part of several: `2/4` is the second of four.
struct ShardArgument: ExpressibleByArgument {
  let shard: Shard

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      count >= 1, (1...count).contains(index)
    else { return nil }
    shard = Shard(index, of: count)
  }
}
