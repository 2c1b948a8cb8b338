import Foundation
import JPEGOracle
import OzuImaging
import Testing

@testable import OzuCodecs

@Suite("The identity by which the index of a JPEG's scan is found")
struct JPEGScanIndexIdentityTests {
  private static let data = JPEGVariant(PixelSize(64, 48)).data

  private static func identity(
    _ bytes: Data, _ file: FileIdentity? = nil, of picture: Data = data
  ) throws -> JPEGScanIndexCache.Identity {
    let outline = try JPEGOutline(picture, limits: .default)
    let frame = try #require(outline.frame)
    let found = JPEGSequentialScan(picture.span, outline.details, frame: frame)
    let scan = try #require(found)
    return bytes.withUnsafeBytes { JPEGScanIndexCache.Identity($0, file, scan, frame: frame) }
  }

  /// The file with another height in its frame header.
  private static func taller(_ data: Data, height: UInt8) throws -> Data {
    var data = data
    let frame = try #require(data.range(of: Data([0xFF, 0xC0])))
    data[frame.upperBound + 3] = 0
    data[frame.upperBound + 4] = height
    return data
  }

  @Test("is a checksum, or the identity that the context has")
  func known() throws {
    let other = Data(Self.data.reversed())
    #expect(try Self.identity(Self.data) == Self.identity(Self.data))
    #expect(try Self.identity(Self.data) != Self.identity(other))
    #expect(try Self.identity(Self.data, FileIdentity(7)).checksum == 7)
    #expect(
      try Self.identity(Self.data, FileIdentity(7)) != Self.identity(Self.data.dropLast(), FileIdentity(7)))
  }

  @Test("bytes without an identity are read once for all their parts")
  func once() throws {
    let file = FileIdentity()
    let first = try Self.identity(Self.data, file)
    #expect(try first == Self.identity(Self.data))
    // Other bytes with the same identity would be a mistake of the caller; here they show that the bytes are not
    // read again.
    #expect(try Self.identity(Data(Self.data.reversed()), file) == first)
    #expect(file.value { 0 } == first.checksum)
  }

  @Test("a file with the checksum of another one, and more rows, does not get its index")
  func collision() throws {
    let cut = PixelRectangle(x: 0, y: 160, width: 64, height: 16)
    // One identity stands for two files that were made to have one checksum.
    let context = DecodingContext().identified(as: FileIdentity(0x0DD))
    let first = PixelRectangle(x: 0, y: 16, width: 64, height: 16)
    func part(_ data: Data, _ cut: PixelRectangle) throws -> Data? {
      try JPEGExcerpt.file(
        data, JPEGOutline(data, limits: .default), cut: cut, renderByteCount: 0, context: context)
    }
    #expect(try part(Self.data, first) != nil)
    let taller = try Self.taller(Self.data, height: 176)
    #expect(try part(taller, cut) == nil)
    // Its shape belongs to its identity.
    #expect(
      try Self.identity(Self.data, FileIdentity(7), of: taller) != Self.identity(Self.data, FileIdentity(7)))
  }
}
