import Foundation
import OzuCodecs
import OzuImaging
import OzuTesting
import Testing

@Suite("Rewriting of EXIF data and XMP")
struct EXIFRewritingTests {
  private func rewritten(
    _ exif: Data, _ policy: MetadataPolicy, xmp: Data? = nil, notes: inout [String]
  ) -> EncodedMetadata {
    ImageMetadata(exif: exif, xmp: xmp).encoded(
      policy: policy, size: PixelSize(320, 240), colorSpace: .sRGB, notes: &notes)
  }

  @Test(
    "turns the picture upright and leaves out the thumbnail", arguments: [false, true],
    [MetadataPolicy.keepWithoutPlace, .keepAll])
  func upright(isBigEndian: Bool, policy: MetadataPolicy) throws {
    let file = EXIFFile(isBigEndian: isBigEndian)
    #expect(EXIFOrientation.find(in: file.data.span) == .right)
    var notes: [String] = []
    let exif = try #require(rewritten(file.data, policy, notes: &notes).exif)
    #expect(notes.isEmpty)
    #expect(EXIFOrientation.find(in: exif.span) == .up)
    var known = PictureMetadata(captureDate: "2024:05:06 07:08:09", camera: "Maker M1")
    known.hasPlace = policy == .keepAll
    #expect(EXIFMetadata.find(in: exif.span) == known)
    #expect(EXIFMetadata.resolution(in: exif.span) == ImageResolution(horizontal: 300, vertical: 150))
    #expect(exif.range(of: EXIFFile.thumbnail) == nil && exif.range(of: EXIFFile.padding) == nil)
    // The size, which appears nowhere else in the data.
    #expect(exif.range(of: file.integer(4000, 4)) == nil && exif.range(of: file.integer(320, 4)) != nil)
    #expect(exif.range(of: file.integer(240, 4)) != nil)
    // A second time changes nothing.
    #expect(rewritten(exif, policy, notes: &notes).exif == exif)
  }

  @Test("turns the resolution with the picture", arguments: 1...8)
  func turnedResolution(orientation: Int) {
    let exif = EXIFFile(orientation: orientation).data
    let metadata = ImageMetadata(exif: exif, resolution: ImageResolution(horizontal: 300, vertical: 150))
    var notes: [String] = []
    let encoded = metadata.encoded(
      policy: .keepWithoutPlace, size: PixelSize(1, 1), colorSpace: .sRGB, notes: &notes)
    let dots = orientation < 5 ? metadata.resolution : ImageResolution(horizontal: 150, vertical: 300)
    #expect(encoded.resolution == dots)
    #expect(encoded.exif.flatMap { EXIFMetadata.resolution(in: $0.span) } == dots)
  }

  @Test("leaves out the place, and the maker note, which may have it too", arguments: [false, true])
  func place(isBigEndian: Bool) throws {
    let file = EXIFFile(isBigEndian: isBigEndian)
    var notes: [String] = []
    let without = rewritten(file.data, .keepWithoutPlace, xmp: sideways, notes: &notes)
    let exif = try #require(without.exif)
    #expect(exif.range(of: file.place) == nil && exif.range(of: file.makerNote) == nil)
    #expect(without.xmp == nil)
    let all = rewritten(file.data, .keepAll, xmp: sideways, notes: &notes)
    #expect(all.exif?.range(of: file.place) != nil)
    // Its offsets are still right.
    #expect(all.exif?.range(of: file.makerNote)?.lowerBound == file.makerNoteOffset)
    #expect(rewritten(file.data, .strip, xmp: sideways, notes: &notes).isEmpty)
  }

  @Test("leaves out a maker note that cannot stay at its offset", arguments: [2000, 65_000])
  func farNote(byteCount: Int) throws {
    let file = EXIFFile(makerNote: Data(repeating: 7, count: byteCount))
    var notes: [String] = []
    let exif = try #require(rewritten(file.data, .keepAll, notes: &notes).exif)
    #expect((exif.range(of: file.makerNote) != nil) == (byteCount == 2000))
  }

  @Test("declares sRGB for converted pixels, and nothing for pixels that keep their profile")
  func colors() throws {
    let profile = TableProfile(deviceClass: "mntr", space: "RGB ").data
    let metadata = ImageMetadata(
      exif: EXIFFile().data, colorProfile: ICCProfile(name: "Wide", data: profile))
    var notes: [String] = []
    let spaces = [ColorSpaceTag.sRGB, .icc(name: "Wide"), .coded(primaries: 9, transfer: 16)]
    for (space, value) in zip(spaces, [1, 0xFFFF, 0xFFFF]) {
      let encoded = metadata.encoded(
        policy: .keepAll, size: PixelSize(1, 1), colorSpace: space, notes: &notes)
      let entry = EXIFFile().integer(0xA001, 2) + EXIFFile().integer(3, 2) + EXIFFile().integer(1, 4)
      #expect(encoded.exif?.range(of: entry + EXIFFile().integer(value, 2)) != nil)
      #expect(encoded.colorProfile == (space == .icc(name: "Wide") ? profile : nil))
    }
    // The colour space of the pixels is not metadata that a policy can remove.
    let stripped = metadata.encoded(
      policy: .strip, size: PixelSize(1, 1), colorSpace: .icc(name: "Wide"), notes: &notes)
    #expect(stripped == EncodedMetadata(colorProfile: profile))
  }

  @Test("writes another resolution under every policy", arguments: MetadataPolicy.allCases)
  func resolution(policy: MetadataPolicy) {
    var notes: [String] = []
    let encoded = ImageMetadata(exif: EXIFFile().data).encoded(
      policy: policy, size: PixelSize(1, 1), colorSpace: .sRGB, resolution: .init(dotsPerInch: 72.5),
      notes: &notes)
    #expect(encoded.resolution == ImageResolution(dotsPerInch: 72.5))
    if let exif = encoded.exif {
      #expect(EXIFMetadata.resolution(in: exif.span) == ImageResolution(dotsPerInch: 72.5))
    }
    // Without values there is no copyright.
    #expect((encoded.exif == nil) == (policy == .strip || policy == .keepCopyright))
    let odd = [Double.nan, -1, 0, .infinity, 1e9].map { ImageResolution(dotsPerInch: $0).valid }
    #expect(odd == [nil, nil, nil, nil, nil])
  }

  @Test("keeps the artist and the copyright alone, with a resolution that is given", arguments: [nil, 72.5])
  func copyright(resolution: Double?) throws {
    var metadata = ImageMetadata(exif: EXIFFile().data)
    (metadata.values.artist, metadata.values.copyright) = ("Ann Å", "© 2026")
    var notes: [String] = []
    let dots = resolution.map { ImageResolution(dotsPerInch: $0) }
    let exif = try #require(
      metadata.encoded(
        policy: .keepCopyright, size: PixelSize(1, 1), colorSpace: .sRGB, resolution: dots, notes: &notes
      ).exif)
    var expected = MetadataValues()
    (expected.artist, expected.copyright) = ("Ann Å", "© 2026")
    var found = MetadataValues(exif: exif, iptc: nil, iptcDigest: nil, xmp: nil)
    found.otherTags = []
    #expect(found == expected && EXIFMetadata.resolution(in: exif.span) == dots)
    #expect(EXIFMetadata.find(in: exif.span)?.camera == nil)
  }

  @Test(
    "keeps the artist and the copyright also where only XMP or IPTC-IIM state them",
    arguments: [MetadataPolicy.keepWithoutPlace, .keepAll], [nil, "  ", "Mül"])
  func names(policy: MetadataPolicy, artist: String?) throws {
    let dots = ImageResolution(horizontal: 300, vertical: 150)
    var metadata = ImageMetadata(
      exif: artist.map { TaggedFile(picture: [.text(0x013B, $0)]).data }, resolution: dots)
    (metadata.values.artist, metadata.values.copyright) = ("Ann", "© 2026")
    var notes: [String] = []
    let exif = try #require(
      metadata.encoded(policy: policy, size: PixelSize(1, 1), colorSpace: .sRGB, notes: &notes).exif)
    let found = MetadataValues(exif: exif, iptc: nil, iptcDigest: nil, xmp: nil)
    #expect(found.artist == (artist == "Mül" ? "Mül" : "Ann") && found.copyright == "© 2026")
    #expect(EXIFMetadata.resolution(in: exif.span) == dots)
  }

  @Test("leaves out broken blocks, with a reason")
  func broken() {
    let whole = EXIFFile().data
    for data in [Data(), Data("II".utf8), Data(repeating: 0xFF, count: 100), whole.prefix(40)] {
      var notes: [String] = []
      #expect(rewritten(data, .keepAll, notes: &notes).exif == nil)
      #expect(notes.count == 1)
    }
  }

  @Test("is bounded if many entries refer to the same bytes")
  func repeated() {
    // 5000 entries of one megabyte each.
    let file = EXIFFile()
    var data = Data("II".utf8) + file.integer(42, 2) + file.integer(8, 4) + file.integer(1, 2)
    data +=
      file.integer(0x8769, 2) + file.integer(4, 2) + file.integer(1, 4) + file.integer(26, 4) + Data(count: 4)
    data += file.integer(5000, 2)
    for tag in 0..<5000 {
      data +=
        file.integer(0x9300 + tag, 2) + file.integer(7, 2) + file.integer(1 << 20, 4) + file.integer(0, 4)
    }
    data += Data(count: 1 << 20)
    var notes: [String] = []
    #expect(rewritten(data, .keepAll, notes: &notes).exif == nil)
    #expect(notes == ["EXIF data are left out: their values are larger than the limit"])
  }

  @Test(
    "accepts any bytes, never reveals the place, and writes blocks that it can read again",
    arguments: Cases.every(3, of: Array(0..<8)))
  func mutations(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let file = EXIFFile(isBigEndian: seed % 2 == 0)
    var keptCount = 0
    for round in 0..<2000 {
      var data = file.data
      if round % 4 == 3 {
        data = Data(
          (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        )
        data = data.prefix(0) + Data(file.data.prefix(Int.random(in: 0...12, using: &random))) + data
      } else {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let position = Int.random(in: 0..<data.count, using: &random)
          data[position] =
            [0, 1, 0x7F, 0xFF, UInt8.random(in: 0...255, using: &random)]
            .randomElement(using: &random) ?? 0
        }
        if round % 8 == 0 { data = data.prefix(Int.random(in: 0...data.count, using: &random)) }
      }
      for policy in [MetadataPolicy.keepAll, .keepWithoutPlace] {
        var notes: [String] = []
        guard let exif = rewritten(data, policy, notes: &notes).exif else { continue }
        keptCount += 1
        #expect(exif.count <= data.count + 65_000, "seed \(seed), round \(round)")
        #expect(EXIFOrientation.find(in: exif.span) ?? .up == .up, "seed \(seed), round \(round)")
        var again: [String] = []
        #expect(
          rewritten(exif, policy, notes: &again).exif == exif && again.isEmpty, "seed \(seed), round \(round)"
        )
      }
    }
    #expect(keptCount > 1000)
  }

  @Test("turns XMP upright, as attribute and as element, and leaves the rest")
  func xmp() throws {
    let element = Data(
      "<tiff:Orientation> 8 </tiff:Orientation><a tiff:Orientation = '3' crs:OrientationX=\"6\"/>".utf8)
    let wanted = "<tiff:Orientation> 1 </tiff:Orientation><a tiff:Orientation = '1' crs:OrientationX=\"6\"/>"
    var notes: [String] = []
    for (packet, result) in [
      (element, wanted),
      (
        sideways,
        String(decoding: sideways, as: UTF8.self).replacing(
          "tiff:Orientation=\"6\"", with: "tiff:Orientation=\"1\"")
      ),
      (Data("tiff:Orientation=\"".utf8), "tiff:Orientation=\""), (Data(":Orientation".utf8), ":Orientation"),
      (Data("tiff:Orientation=\"0\" :Orientation  ".utf8), "tiff:Orientation=\"0\" :Orientation  "),
      // The video of a motion photo is not written.
      (
        Data("<a GCamera:MotionPhoto=\"1\" GCamera:MotionPhotoVersion=\"1\" GCamera:MicroVideo='1'/>".utf8),
        "<a GCamera:MotionPhoto=\"0\" GCamera:MotionPhotoVersion=\"1\" GCamera:MicroVideo='0'/>"
      ),
    ] {
      let xmp = try #require(rewritten(EXIFFile().data, .keepAll, xmp: packet, notes: &notes).xmp)
      #expect(String(decoding: xmp, as: UTF8.self) == result)
    }
    #expect(notes.isEmpty)
    for packet in [
      Data([0xFF, 0xFE, 0x3C, 0]), Data("<a xmlns:g=\"http://ns.adobe.com/xap/1.0/g/img/\"/>".utf8),
    ] {
      #expect(rewritten(EXIFFile().data, .keepAll, xmp: packet, notes: &notes).xmp == nil)
    }
    #expect(notes.count == 2)
  }

  @Test(
    "a resolution that no picture has is none for a header",
    arguments: [(72, 1), (0xFFFF_FFFF, 1), (1, 0xFFFF_FFFF), (1, 0)])
  func absurdResolution(dots: Int, inches: Int) {
    let exif = TaggedFile(picture: [.fractions(0x11A, [dots, inches])]).data
    #expect(EXIFMetadata.dotsPerInch(in: exif.span) == (dots == 72 ? 72 : nil))
  }
}
