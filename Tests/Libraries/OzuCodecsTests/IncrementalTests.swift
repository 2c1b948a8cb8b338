import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Passes a file to a decoder in pieces, and asks for a preview after each.
private func previews(
  of data: Data, pieces: Int, resize: Resize? = nil, codecs: CodecRegistry = .standard,
  limits: DecodingLimits = .default, pool: PixelBufferPool = .shared
) throws(ImageDecodingError) -> (previews: [Picture], decoder: IncrementalDecoder) {
  let decoder = IncrementalDecoder(codecs: codecs, resize: resize)
  let step = max(1, (data.count + pieces - 1) / pieces)
  var previews: [Picture] = []
  for start in stride(from: 0, to: data.count, by: step) {
    decoder.append(data[start..<min(start + step, data.count)])
    if let preview = try decoder.preview(context: DecodingContext(limits: limits, pool: pool)) {
      previews.append(preview)
    }
  }
  return (previews, decoder)
}

private let wholeFiles = [
  "matrix/jpeg-baseline-420.jpg", "matrix/jpeg-progressive-420.jpg", "matrix/jpeg-progressive-444.jpg",
  "matrix/jpeg-gray.jpg", "matrix/jpeg-411.jpg", "matrix/jpeg-cmyk-noprofile.jpg",
  "matrix/jpeg-restart-rows.jpg", "orientation/jpeg-6.jpg", "matrix/png-rgb8.png", "matrix/png-rgba8.png",
  "matrix/png-palette.png", "matrix/png-gray1.png", "matrix/png-rgb16.png", "matrix/png-trns-rgb.png",
  "pngsuite/basi0g01.png", "pngsuite/basi3p04.png", "pngsuite/basi6a16.png", "pngsuite/s40i3p04.png",
  "orientation/png-5.png", "matrix/webp-lossy.webp", "matrix/webp-lossy-alpha.webp",
  "matrix/webp-lossless.webp", "matrix/webp-lossless-alpha.webp",
  "matrix/jxl-lossless.jxl", "matrix/jxl-lossless-alpha.jxl", "matrix/jxl-lossy.jxl",
  "matrix/gif-palette.gif", "matrix/gif-palette-interlaced.gif",
]

@Suite("Incremental decoding")
struct IncrementalTests {
  @Test("ends with the picture that the whole file gives", arguments: wholeFiles, [1, 3, 40, 100_000])
  func lastPreview(path: String, pieces: Int) throws {
    guard isDecodable(path) else { return }
    let data = try fixture(path)
    let whole = try CodecRegistry.standard.picture(from: data)
    let (shown, decoder) = try previews(of: data, pieces: pieces)
    let last = try #require(shown.last)
    #expect(last.isPreview)
    // Previews are cut to 8 bits before they are converted from linear light.
    #expect(last.bitmap.largestDifference(from: whole.bitmap) <= (path.hasSuffix("basi6a16.png") ? 13 : 0))
    #expect(try decoder.preview() == nil, "nothing new")
    let final = try decoder.picture()
    #expect(final.bitmap == whole.bitmap)
    #expect(final.header == whole.header)
    #expect(!final.isPreview)
    #expect(shown.allSatisfy { $0.size == whole.size })
  }

  @Test(
    "shows more of a picture with each preview",
    arguments: [
      ("matrix/jpeg-progressive-420.jpg", 3), ("matrix/jpeg-baseline-444.jpg", 3),
      ("pngsuite/basi3p04.png", 6), ("matrix/png-rgba8.png", 5), ("matrix/webp-lossless.webp", 2),
    ])
  func progress(path: String, count: Int) throws {
    guard isDecodable(path) else { return }
    let data = try fixture(path)
    let (shown, _) = try previews(of: data, pieces: 60)
    #expect(shown.count >= count)
    let whole = try CodecRegistry.standard.picture(from: data).bitmap
    let differences = shown.map { $0.bitmap.meanDifference(from: whole) }
    #expect(differences.last == 0)
    for (before, after) in zip(differences, differences.dropFirst()) { #expect(after <= before + 0.5) }
  }

  @Test("shows a progressive JPEG in whole from its first scan on")
  func firstScan() throws {
    let data = JPEGVariant(PixelSize(200, 150), isProgressive: true).data
    let (shown, _) = try previews(of: data, pieces: 50)
    let first = try #require(shown.first)
    #expect(first.bitmap.isOpaque)
    #expect(first.header?.isProgressive == true)
    let whole = try CodecRegistry.standard.picture(from: data).bitmap
    #expect(first.bitmap.meanDifference(from: whole) < 20)
  }

  @Test("leaves pixels transparent that have not arrived")
  func missingRows() throws {
    let data = try fixture("matrix/png-rgb8.png")
    let (shown, _) = try previews(of: data, pieces: 5)
    let first = try #require(shown.first).bitmap
    #expect(!first.isOpaque)
    #expect(first[0, 0].alpha == 255)
    #expect(first[first.size.width - 1, first.size.height - 1].alpha == 0)
  }

  @Test("shows the first frame of an animation before the others come", arguments: ["gif", "webp", "png"])
  func animation(ending: String) throws {
    let name = ending == "webp" ? "matrix/anim-lossless.webp" : "matrix/anim.\(ending)"
    guard isDecodable(name) else { return }
    let data = try fixture(name)
    let whole = try CodecRegistry.standard.picture(from: data)
    let decoder = IncrementalDecoder(codecs: .standard)
    decoder.append(data.prefix(data.count * 19 / 20))
    let preview = try #require(try decoder.preview())
    #expect(preview.bitmap == whole.bitmap)
    #expect(preview.animation == nil)
    decoder.append(data.dropFirst(data.count * 19 / 20))
    #expect(try decoder.picture().animation?.frameCount == whole.animation?.frameCount)
  }

  @Test("shows no WebP before its orientation is known", arguments: [1, 3, 40, 1000])
  func lateOrientation(pieces: Int) throws {
    guard isDecodable("orientation/webp-6.webp") else { return }
    let data = try fixture("orientation/webp-6.webp")
    let whole = try CodecRegistry.standard.picture(from: data)
    let (shown, decoder) = try previews(of: data, pieces: pieces)
    #expect(shown.allSatisfy { $0.bitmap == whole.bitmap })
    #expect(try decoder.picture().bitmap == whole.bitmap)
  }

  @Test("makes previews at the size of the recipe, upright")
  func recipe() throws {
    let data = try fixture("orientation/jpeg-6.jpg")
    let whole = try CodecRegistry.standard.picture(from: data)
    let target = PixelSize(whole.size.width / 2, whole.size.height / 2)
    let (shown, decoder) = try previews(of: data, pieces: 1, resize: Resize(target, mode: .fill))
    let preview = try #require(shown.last)
    #expect(preview.size == target)
    #expect(preview.bitmap.meanDifference(from: try decoder.picture().bitmap) < 4)
  }

  @Test("gives no previews of formats that are decoded in one piece", arguments: ["matrix/bmp-rgb24.bmp"])
  func inOnePiece(path: String) throws {
    let (shown, decoder) = try previews(of: fixture(path), pieces: 10)
    #expect(shown.isEmpty)
    #expect(try decoder.picture().bitmap == picture(path).bitmap)
  }

  @Test("gives no previews of arithmetic codes, and still their picture")
  func arithmetic() throws {
    let (shown, decoder) = try previews(of: fixture("matrix/jpeg-arithmetic.jpg"), pieces: 10)
    #expect(shown.isEmpty)
    #expect(try decoder.picture().bitmap == picture("matrix/jpeg-arithmetic.jpg").bitmap)
  }

  @Test("has the header after the first preview that could read it")
  func header() throws {
    let data = try fixture("matrix/png-rgb8.png")
    let decoder = IncrementalDecoder(codecs: .standard)
    #expect(decoder.header == nil)
    decoder.append(data)
    #expect(decoder.header == nil)
    _ = try decoder.preview()
    #expect(decoder.header == (try CodecRegistry.standard.header(of: data)))
    #expect(decoder.byteCount == data.count)
  }

  @Test("reports that a file is not an image as soon as enough bytes have arrived")
  func notAnImage() throws {
    let decoder = IncrementalDecoder(codecs: .standard)
    decoder.append(Data("<html>".utf8))
    #expect(try decoder.preview() == nil)
    decoder.append(Data(repeating: 32, count: 600))
    #expect(throws: ImageDecodingError.notAnImage(kind: "an HTML page")) { try decoder.preview() }
    #expect(try decoder.preview() == nil)
    // A document may become a drawing until its first element is there.
    let document = IncrementalDecoder(codecs: .standard)
    document.append(Data("<?xml version='1.0'?><!--\(String(repeating: "licence ", count: 200))".utf8))
    #expect(try document.preview() == nil)
    document.append(Data("\(String(repeating: " ", count: 400))--><a>".utf8))
    #expect(throws: ImageDecodingError.notAnImage(kind: "an XML document")) { try document.preview() }
  }

  @Test("continues after it was cancelled", arguments: [1, 2, 4, 7])
  func cancelled(question: Int) throws {
    for path in ["matrix/jpeg-progressive-444.jpg", "matrix/png-rgba8.png", "matrix/jpeg-baseline-420.jpg"] {
      let data = try fixture(path)
      let decoder = IncrementalDecoder(codecs: .standard)
      decoder.append(data)
      var questions = 0
      let impatient = DecodingContext(isCancelled: {
        questions += 1
        return questions == question
      })
      let first = Result { () throws(ImageDecodingError) in try decoder.preview(context: impatient) }
      if case .failure(let error) = first { #expect(error == .cancelled) }
      if case .failure = first {
        let preview = try #require(try decoder.preview())
        #expect(preview.bitmap == (try picture(path)).bitmap)
      }
    }
  }
}
