import Foundation
import Testing

@testable import Platform

struct TemporaryFolderTests {
  @Test(arguments: [
    (nil, "/tmp"), ("", "/tmp"), ("/var/tmp", "/var/tmp"), ("/var/tmp//", "/var/tmp"), ("/", "/"),
  ])
  func `An empty TMPDIR counts as none`(_ variable: String?, _ path: String) {
    #expect(TemporaryFolder.path(variable) == path)
  }

  @Test(arguments: [4, 64])
  func `More than the limit is not kept, in memory and in a file`(_ memoryMax: Int) throws {
    let spool = Spool(memoryMax: memoryMax, lengthMax: 10)
    let bytes: [UInt8] = [1, 2, 3, 4, 5]
    for _ in 0..<2 { try bytes.withUnsafeBytes { try spool.append($0) } }
    #expect(throws: Spool.TooLong.self) { try bytes.withUnsafeBytes { try spool.append($0) } }
    #expect(spool.length == 10)
    #expect("\(Spool.TooLong())" == "it is longer than 2 GiB")
  }
}
