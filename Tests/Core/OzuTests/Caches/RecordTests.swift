import Foundation
import OzuBase
import OzuHTTP
import Testing

@testable import Ozu

@Suite("Records of entries on disk")
struct RecordTests {
  private static let validity = OriginalValidity(
    receptionDate: Date(timeIntervalSince1970: 1_600_000_000.5),
    freshUntil: Date(timeIntervalSince1970: 1_700_000_000.25), bodyIdentity: "sha:é", mayUseOffline: true)

  private static let response = HTTPStoredResponse(
    status: 200, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60, must-revalidate", "X-Empty": ""],
    url: Fixture.url("a.jpg?width=3#ü"), requestDate: Date(timeIntervalSince1970: 1_700_000_000.125),
    responseDate: Date(timeIntervalSince1970: 5), selectingHeaders: ["Accept": "image/*"],
    redirectsFreshUntil: Date(timeIntervalSince1970: 1), bodyIdentity: "xyz")

  private static let notes = ["PQ was tone-mapped to sRGB (ITU-R BT.2390)", "", "ü\n\"\u{0}\""]

  private static var header: ImageHeader {
    var header = ImageHeader(
      type: .webp, storedSize: PixelSize(4000, 3), orientation: .left, bitsPerComponent: 16,
      colorModel: .indexed, hasAlpha: true, frameCount: 12, isProgressive: true)
    header.colorProfileName = "Display P3"
    header.isDrawing = true
    return header
  }

  private static let made = (1...3).map { number in
    KnownVariants.SizeVariant(
      key: ImageKey(source: CacheKey("a"), steps: ["\(number)"]),
      resize: number == 1
        ? nil
        : Resize(
          PixelSize(number, 1 << 20), mode: .aspectFill, crops: true, allowsUpscaling: true,
          kernel: .mitchell, quality: .fast, light: .linear, allowsEmbeddedThumbnail: true),
      size: PixelSize(number, 2), partition: DiskCache.Partition("format:\(number)"))
  }

  @Test("can be read back")
  func roundTrip() throws {
    let original = try #require(OriginalRecord(Self.response))
    #expect(OriginalRecord(original.data)?.response == Self.response.withoutSecrets)
    #expect(try #require(OriginalRecord(OriginalRecord().data)).response == nil)
    for header in [Self.header, nil] {
      for stamp in [FileStamp(path: "/"), nil] {
        for validity in [Self.validity, nil] {
          for notes in [[], Self.notes] {
            let record = RenditionRecord(header: header, stamp: stamp, validity: validity, notes: notes)
            let read = try #require(RenditionRecord(record.data))
            #expect(read.header == header)
            #expect(read.stamp == stamp)
            #expect(read.validity == validity)
            #expect(read.notes == notes)
          }
        }
      }
    }
    let variants = try #require(
      VariantsRecord(VariantsRecord(Self.made).data, of: CacheKey("a")))
    #expect(variants.pictures == Self.made)
    #expect(variants.pictures.map(\.key.source) == Self.made.map(\.key.source))
  }

  @Test(
    "a damaged, truncated, longer or older record is refused or read as another one, and never takes much memory"
  )
  func damage() throws {
    let originals = try #require(OriginalRecord(Self.response)).data
    let renditions = RenditionRecord(
      header: Self.header, stamp: FileStamp(path: "/"), validity: Self.validity, notes: Self.notes
    ).data
    let variants = VariantsRecord(Self.made).data
    let files = EncodedRecord(
      type: .png, size: PixelSize(3, 2), frameCount: 1, checksum: "sum", notes: Self.notes,
      rendition: RenditionRecord(header: Self.header, stamp: nil, validity: Self.validity, notes: []),
      sourceByteCount: 9
    ).data
    for (data, read) in [
      (originals, { OriginalRecord($0) != nil }), (renditions, { RenditionRecord($0) != nil }),
      (variants, { VariantsRecord($0, of: CacheKey("a")) != nil }),
      (files, { EncodedRecord($0) != nil }),
    ] as [(Data, (Data) -> Bool)] {
      for count in 0..<data.count { #expect(!read(data.prefix(count))) }
      #expect(!read(data + [0]))
      #expect(!read(Data("{\"version\":2}".utf8)))
      for place in data.indices {
        for value in [UInt8(0), 0x7F, 0x80, 0xFF] {
          var damaged = data
          damaged[place] = value
          // It must only return.
          _ = read(damaged)
        }
      }
    }
  }

  @Test("a length of an eighth of a gigabyte that is only announced is not allocated")
  func announcedLengths() {
    var writer = FieldWriter()
    writer.append(VariantsRecord.currentVersion)
    writer.append(1 << 27)
    #expect(VariantsRecord(writer.data, of: CacheKey("a")) == nil)
    writer = FieldWriter()
    writer.append(OriginalRecord.currentVersion)
    writer.append(true)
    writer.append(200)
    writer.append(UInt64.max)
    #expect(OriginalRecord(writer.data) == nil)
  }

  @Test("a record with a header that no decoder could make is refused", arguments: [1 << 32, 1 << 62, -1])
  func impossibleHeader(side: Int) {
    let header = ImageHeader(type: .jpeg, storedSize: PixelSize(side, 3))
    let record = RenditionRecord(header: header, stamp: nil, validity: nil, notes: [])
    #expect(RenditionRecord(record.data) == nil)
  }

  @Test("a record with notes beyond the bounds is refused")
  func notesBounds() {
    func read(_ notes: [String]) -> [String]? {
      RenditionRecord(RenditionRecord(header: nil, stamp: nil, validity: nil, notes: notes).data)?.notes
    }
    let most = [String](repeating: String(repeating: "ü", count: 256), count: 32)
    #expect(read(most) == most)
    #expect(read(most + [""]) == nil)
    #expect(read([String](repeating: "", count: 100_000)) == nil)
    #expect(read([String(repeating: "x", count: 513)]) == nil)
    for count in [2, 127, 1 << 27, -1] {
      var writer = FieldWriter()
      writer.append(RenditionRecord.currentVersion)
      for _ in 0..<3 { writer.append(false) }
      writer.append(count)
      writer.append("one")
      #expect(RenditionRecord(writer.data) == nil)
    }
  }

  @Test("an encoded image whose rendition record has another version is refused")
  func nestedVersion() throws {
    let rendition = RenditionRecord(header: nil, stamp: nil, validity: Self.validity, notes: [])
    let record = EncodedRecord(
      type: .png, size: PixelSize(3, 2), frameCount: 1, checksum: "sum", rendition: rendition,
      sourceByteCount: 9)
    var bytes = record.data
    #expect(EncodedRecord(bytes) != nil)
    #expect(bytes[1] == UInt8(RenditionRecord.currentVersion))
    bytes[1] -= 1
    #expect(EncodedRecord(bytes) == nil)
  }

  @Test("a list of variants keeps the latest eight pictures")
  func variantsBound() {
    var record = VariantsRecord()
    for number in 0..<20 {
      let made = KnownVariants.SizeVariant(
        key: ImageKey(source: CacheKey("a"), steps: ["\(number)"]), resize: nil, size: PixelSize(1, 1))
      let isNew = record.note(made)
      let isNewAgain = record.note(made)
      #expect(isNew && !isNewAgain)
    }
    #expect(record.pictures.count == 8)
    let last = ImageKey(source: CacheKey("a"), steps: ["19"])
    #expect(record.pictures.last?.key == last)
    let isForgotten = record.forget(last)
    let isForgottenAgain = record.forget(last)
    #expect(isForgotten && !isForgottenAgain)
    #expect(record.pictures.count == 7)
  }
}
