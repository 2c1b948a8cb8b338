import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("Embedded thumbnails")
struct EmbeddedThumbnailTests {
  /// A picture with a thumbnail of one colour in its EXIF data.
  private func file(
    _ size: PixelSize, thumbnail: PixelSize, orientation: UInt8 = 1, claimsLength extra: Int = 0
  ) throws -> Data {
    let red = Bitmap(size: thumbnail) { _, _ in Pixel(red: 250, green: 10, blue: 10) }
    let small = try JPEGEncoder().encode(red, options: .init())
    func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
      little(tag, 2) + little(type, 2) + little(1, 4) + little(value, 4)
    }
    // A header, a directory of one entry, a directory of two, the thumbnail.
    let tiff: [UInt8] =
      [0x49, 0x49, 42, 0] + little(8, 4) + little(1, 2) + entry(0x0112, 3, Int(orientation)) + little(26, 4)
      + little(2, 2) + entry(0x0201, 4, 56) + entry(0x0202, 4, small.count + extra) + little(0, 4)
    let exif = Array("Exif\0\0".utf8) + tiff + Array(small)
    let length = exif.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + exif
    let picture = JPEGVariant(size).data
    return picture[..<2] + Data(segment) + picture[2...]
  }

  private func isRed(_ picture: Picture) -> Bool {
    let pixel = picture.bitmap[picture.size.width / 2, picture.size.height / 2]
    return pixel.red > 230 && pixel.green < 30
  }

  private func decode(_ file: Data, _ size: PixelSize, isAllowed: Bool = true) throws -> Picture {
    try CodecRegistry.standard.picture(
      from: file, resize: Resize(size, allowsEmbeddedThumbnail: isAllowed))
  }

  @Test("is used if it is asked for, large enough and has the same proportions")
  func standsIn() throws {
    let file = try file(PixelSize(640, 480), thumbnail: PixelSize(160, 120))
    #expect(isRed(try decode(file, PixelSize(160, 120))))
    #expect(isRed(try decode(file, PixelSize(64, 64))))
    #expect(try decode(file, PixelSize(64, 64)).size == PixelSize(64, 48))
    #expect(try !decode(file, PixelSize(64, 64)).notes.isEmpty)
    #expect(!isRed(try decode(file, PixelSize(64, 64), isAllowed: false)))
    #expect(!isRed(try decode(file, PixelSize(161, 121))))
  }

  @Test("is not used if it has bars")
  func aspect() throws {
    let file = try file(PixelSize(640, 400), thumbnail: PixelSize(160, 120))
    #expect(!isRed(try decode(file, PixelSize(64, 64))))
    let rounded = try self.file(PixelSize(641, 427), thumbnail: PixelSize(160, 107))
    #expect(isRed(try decode(rounded, PixelSize(64, 64))))
  }

  @Test("is turned as the picture is")
  func orientation() throws {
    let file = try file(PixelSize(640, 480), thumbnail: PixelSize(160, 120), orientation: 6)
    let picture = try decode(file, PixelSize(64, 64))
    #expect(isRed(picture))
    #expect(picture.size == PixelSize(48, 64))
  }

  @Test("is not used if its length extends beyond the file")
  func hostile() throws {
    let file = try file(PixelSize(640, 480), thumbnail: PixelSize(160, 120), claimsLength: 100_000)
    #expect(!isRed(try decode(file, PixelSize(64, 64))))
  }

  @Test("that exceeds a limit is an error and not a missing thumbnail")
  func limits() throws {
    let file = try file(PixelSize(640, 480), thumbnail: PixelSize(160, 120))
    let opened = try JPEGDecoder().open(file, limits: .default)
    func violation(_ context: DecodingContext) -> DecodingLimits.Violation? {
      do throws(ImageDecodingError) {
        _ = try opened.embeddedThumbnail(atLeast: PixelSize(1, 1), context: context)
      } catch .limitExceeded(let violation) {
        return violation
      } catch {
        Issue.record("\(error)")
      }
      return nil
    }
    var questions = 0
    let late = DecodingContext(threadTime: {
      questions += 1
      return questions > 1 ? .seconds(11) : .zero
    })
    #expect(violation(late)?.quantity == .cpuTime)
    let small = DecodingContext(limits: DecodingLimits(pixelCount: 160 * 120 - 1))
    #expect(violation(small) == .init(.pixelCount, value: 160 * 120, limit: 160 * 120 - 1))
    #expect(violation(DecodingContext()) == nil)
  }
}
