import Foundation
import OzuImaging
import Testing

@testable import OzuCodecs

@Suite("The identity by which the index of a JPEG's scan is found")
struct JPEGScanIndexIdentityTests {
  private static let bytes: [UInt8] = Array(0..<200)

  private static func identity(_ bytes: [UInt8], _ file: FileIdentity? = nil) -> JPEGScanIndexCache.Identity {
    bytes.withUnsafeBytes { JPEGScanIndexCache.Identity($0, file) }
  }

  @Test("is a checksum, or the identity that the context has")
  func known() {
    #expect(Self.identity(Self.bytes) == Self.identity(Self.bytes))
    #expect(Self.identity(Self.bytes) != Self.identity(Self.bytes.reversed()))
    #expect(Self.identity(Self.bytes, FileIdentity(7)).checksum == 7)
    #expect(
      Self.identity(Self.bytes, FileIdentity(7))
        != Self.identity(Array(Self.bytes.dropLast()), FileIdentity(7)))
  }

  @Test("bytes without an identity are read once for all their parts")
  func once() {
    let file = FileIdentity()
    let first = Self.identity(Self.bytes, file)
    #expect(first == Self.identity(Self.bytes))
    // Other bytes with the same identity would be a mistake of the caller; here they show that the bytes are not
    // read again.
    #expect(Self.identity(Self.bytes.reversed(), file) == first)
    #expect(file.value { 0 } == first.checksum)
  }
}
