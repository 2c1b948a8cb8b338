import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("Camera RAW")
struct RAWDecoderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let type: ImageType
    var isBigEndian = false

    var testDescription: String { "\(type) \(isBigEndian ? "big" : "little")-endian" }

    /// The sizes of the previews, the largest first.
    var sizes: [PixelSize] {
      type == .raf ? [RAWDecoderTests.large] : [RAWDecoderTests.large, RAWDecoderTests.small]
    }
  }

  static let (large, small) = (PixelSize(720, 480), PixelSize(360, 240))
  static let cases =
    ImageType.cameraRAW.map { Case(type: $0) }
    + [.dng, .nef, .cr2, .arw, .pef, .srw, .orf, .raw].map { Case(type: $0, isBigEndian: true) }

  private static let codecs = CodecRegistry.standard
  private static let jpegs: [Data] = [large, small, PixelSize(96, 64)].enumerated().map { index, size in
    let bitmap = PatternPicture(size, tint: 1 + 2 * index).bitmap
    return (try? codecs.encode(bitmap, as: .jpeg)) ?? Data()
  }

  private func file(_ wanted: Case, orientation: Int = 1, hasPreviews: Bool = true) -> RAWFile {
    let jpegs = Self.jpegs.map { [UInt8]($0) }
    return RAWFile(
      type: wanted.type, isBigEndian: wanted.isBigEndian, orientation: orientation, large: jpegs[0],
      small: jpegs[1], thumbnail: jpegs[2], hasPreviews: hasPreviews)
  }

  private func jpeg(_ index: Int, _ resize: Resize?) throws -> Bitmap {
    try Self.codecs.picture(from: Self.jpegs[index], resize: resize).bitmap
  }

  @Test(
    "is recognised by its content, and its header has the sizes of the RAW and of its previews",
    arguments: cases)
  func header(wanted: Case) throws {
    let data = file(wanted).data
    #expect(ContentKind(sniffing: data) == .image(wanted.type))
    let header = try Self.codecs.header(of: data)
    #expect(header.type == wanted.type && header.storedSize == Self.large)
    #expect(header.cameraRAW == CameraRAW(size: PixelSize(900, 600), previewSizes: wanted.sizes))
    #expect(header.notes == ["preview of a RAW file, 720x480; the RAW has 900x600 pixels"])
    #expect(header.metadata?.captureDate == "2024:05:06 07:08:09")
    #expect(header.metadata?.camera?.hasSuffix("Model 1") == true)
    if ![.raf, .cr3].contains(wanted.type) { #expect(header.metadata?.isoSensitivity == 320) }
    // A slice of a larger file counts from its own start.
    #expect(try Self.codecs.header(of: (Data([1, 2, 3]) + data).dropFirst(3)) == header)
  }

  @Test("is the smallest preview that serves the size, as the bare JPEG is decoded", arguments: cases)
  func sizes(wanted: Case) throws {
    let data = file(wanted).data
    let part = PixelRectangle(x: 100, y: 60, width: 160, height: 128)
    for (resize, index) in [
      (nil, 0), (Resize(PixelSize(1600, 1600)), 0), (Resize(PixelSize(200, 200)), 0),
      (Resize(PixelSize(150, 100)), 1), (Resize(PixelSize(90, 90)), 1),
      (Resize(PixelSize(64, 64), mode: .aspectFill), 1),
      (Resize(region: part), 0),
    ] as [(Resize?, Int)] {
      let picture = try Self.codecs.picture(from: data, resize: resize)
      let expected = try jpeg(wanted.sizes.count == 1 ? 0 : index, resize)
      #expect(picture.bitmap == expected, "\(String(describing: resize))")
      #expect(picture.notes == ["preview of a RAW file, 720x480; the RAW has 900x600 pixels"])
    }
  }

  @Test("is turned upright as the RAW says", arguments: cases)
  func orientation(wanted: Case) throws {
    let data = file(wanted, orientation: 6).data
    let picture = try Self.codecs.picture(from: data)
    #expect(picture.size == PixelSize(480, 720))
    #expect(picture.bitmap == (try jpeg(0, nil)).upright(from: .right))
    #expect(picture.header?.notes == ["preview of a RAW file, 480x720; the RAW has 600x900 pixels"])
    let small = try Self.codecs.picture(from: data, resize: Resize(PixelSize(80, 120)))
    let index = wanted.sizes.count == 1 ? 0 : 1
    #expect(small.bitmap == (try jpeg(index, Resize(PixelSize(120, 80)))).upright(from: .right))
    let metadata = try Self.codecs.metadata(of: data)
    let exif = try #require(metadata.exif)
    #expect(EXIFOrientation.find(in: exif.span) == .right)
    #expect(EXIFMetadata.find(in: exif.span)?.captureDate == "2024:05:06 07:08:09")
    #expect(metadata.values.model == "Model 1" && metadata.values.orientation == .right)
    #expect(metadata.values.originalDate != nil)
    #expect(metadata.values.title == (wanted.type == .raf ? "A title" : nil))
  }

  @Test("without a preview is an error that says so, also with a thumbnail", arguments: cases)
  func absence(wanted: Case) throws {
    let data = file(wanted, hasPreviews: false).data
    #expect(ContentKind(sniffing: data) == .image(wanted.type))
    let error = #expect(throws: ImageDecodingError.self) { try Self.codecs.picture(from: data) }
    guard case .unsupportedType(wanted.type, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let hasThumbnail = [.cr2, .cr3, .arw, .pef].contains(wanted.type)
    #expect(
      reason == (hasThumbnail ? "it has no preview, only a thumbnail of 96x64" : "it has no JPEG preview")
        + ", and RAW pixels are not developed")
  }

  @Test("of Canon without its film box is whole, and not read")
  func withoutFilm() throws {
    let data = file(Case(type: .cr3)).data
    let film = try #require(BoxFile(data).boxes(["moov"])?.first)
    let error = #expect(throws: ImageDecodingError.self) {
      try Self.codecs.picture(from: data[..<film.lowerBound] + data[film.upperBound...])
    }
    guard case .unsupportedType(.cr3, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("that is cut off is never its thumbnail", arguments: cases)
  func truncation(wanted: Case) throws {
    let data = file(wanted).data
    for end in stride(from: 512, to: data.count, by: max(1, data.count / 40)) {
      let cut = data.prefix(end)
      guard ContentKind(sniffing: cut) == .image(wanted.type) else { continue }
      do throws(ImageDecodingError) {
        let picture = try Self.codecs.picture(from: cut, context: DecodingContext(allowsTruncation: true))
        #expect([Self.large, Self.small].contains(picture.size))
      } catch {
        switch error {
        case .truncated(wanted.type, _), .corrupt(wanted.type, _, _): break
        default: Issue.record("\(end): \(error)")
        }
      }
    }
  }

  @Test("that says nothing of a sensor is an ordinary TIFF, also with the name of a maker")
  func ordinary() {
    for make in ["NIKON CORPORATION", "SONY", "Leica"] {
      var file = TIFFWriter(isBigEndian: false)
      file.first = file.directory([(262, .shorts([2])), (271, .text(make))])
      #expect(ContentKind(sniffing: Data(file.finished)) == .image(.tiff))
      // The pyramid of an editor: the first directory is the picture.
      let level = file.directory([(254, .longs([1])), (262, .shorts([2]))])
      file.first = file.directory([(262, .shorts([2])), (271, .text(make)), (330, .longs([level]))])
      #expect(ContentKind(sniffing: Data(file.finished)) == .image(.tiff))
    }
  }

  @Test("ends where its directories refer to each other, and where numbers are too large")
  func loops() throws {
    for endian in [false, true] {
      var file = TIFFWriter(isBigEndian: endian)
      let jpeg = Self.jpegs[0]
      let preview = file.append([UInt8](jpeg))
      let start = file.bytes.count + file.bytes.count % 2
      let fields: [TIFFWriter.Field] = [
        (50706, .bytes([1, 4, 0, 0])), (330, .longs([start])), (513, .longs([preview])),
        (514, .longs([jpeg.count])),
        (34665, .longs([start])), (34853, .longs([start])),
      ]
      file.first = file.directory(fields, next: start)
      #expect(file.first == start)
      #expect(try Self.codecs.picture(from: Data(file.finished)).size == Self.large)
      for number in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF] {
        for index in 0..<fields.count {
          for place in [4, 8] {
            var bytes = file.finished
            let at = start + 2 + 12 * index + place
            bytes.replaceSubrange(at..<at + 4, with: file.integer(number, 4))
            _ = try? Self.codecs.picture(from: Data(bytes), resize: Resize(PixelSize(40, 40)))
          }
        }
      }
    }
  }

  @Test("never ends the process when bytes are wrong", arguments: cases)
  func mutants(wanted: Case) throws {
    let data = file(wanted, orientation: 6).data
    // The JPEGs have suites of their own.
    let jpegs = Self.jpegs.compactMap { data.range(of: $0.dropFirst(40)) }
    let places = data.indices.filter { index in !jpegs.contains { $0.contains(index) } }
    var random = SeededGenerator(seed: 46)
    for _ in 0..<Cases.count(200, of: 20_000) {
      var mutant = data
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        mutant[places.randomElement(using: &random) ?? 0] =
          Bool.random(using: &random)
          ? [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0 : .random(in: 0...255, using: &random)
      }
      if Int.random(in: 0..<8, using: &random) == 0 {
        mutant = mutant.prefix(.random(in: 0...mutant.count, using: &random))
      }
      guard let picture = try? Self.codecs.picture(from: mutant, resize: Resize(PixelSize(40, 40))) else {
        continue
      }
      #expect(!picture.size.isEmpty)
    }
  }
}
