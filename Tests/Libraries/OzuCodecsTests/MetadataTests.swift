import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Metadata")
struct MetadataTests {
  @Test(
    "of EXIF data are found in each container",
    arguments: ["exif.jpg", "exif.avif", "exif.jxl", "exif.tif"])
  func exif(name: String) throws {
    guard isDecodable(name) else { return }
    let header = try CodecRegistry.standard.header(of: fixture("metadata/\(name)"))
    #expect(header.metadata?.camera == "Ozu Works Still 50")
    #expect(header.metadata?.captureDate == "2023:01:02 03:04:05")
    #expect(header.metadata?.hasThumbnail == false)
    #expect(header.dotsPerInch == 300)
  }

  @Test("of JPEG XL are found also if the distance to them was left out")
  func withoutDistance() throws {
    guard isDecodable("exif.jxl") else { return }
    var data = try fixture("metadata/exif.jxl")
    let mark = try #require(data.range(of: Data("Exif".utf8)))
    data[mark.lowerBound - 1] -= 4
    data.removeSubrange(mark.upperBound..<mark.upperBound + 4)
    let header = try CodecRegistry.standard.header(of: data)
    #expect(header.metadata?.camera == "Ozu Works Still 50")
  }

  @Test("of HEIC are those of the camera, and tell whether there is a thumbnail")
  func heic() throws {
    guard isDecodable("heic-420.heic") else { return }
    let header = try CodecRegistry.standard.header(of: fixture("matrix/heic-420.heic"))
    #expect(header.metadata?.camera == "Canon EOS M")
    #expect(header.metadata?.captureDate == "2025:02:08 07:08:03")
    #expect(header.metadata?.lens == "EF-M18-55mm f/3.5-5.6 IS STM")
    #expect(header.metadata?.exposureTime == 1.0 / 160)
    #expect(header.metadata?.fNumber == 9)
    #expect(header.metadata?.isoSensitivity == 100)
    #expect(header.metadata?.focalLength == 24)
    #expect(header.metadata?.hasPlace == false)
    #expect(header.metadata?.hasThumbnail == true)
    #expect(header.dotsPerInch == 72)
  }

  @Test(
    "do not change the picture",
    arguments: [
      ("exif.avif", "matrix/avif-420-q90.avif"), ("exif.jxl", "matrix/jxl-lossy.jxl"),
      ("exif.jpg", "matrix/jpeg-baseline-444.jpg"),
    ])
  func pixels(name: String, original: String) throws {
    guard isDecodable(name) else { return }
    #expect(try picture("metadata/\(name)").bitmap == picture(original).bitmap)
  }

  @Test(
    "that are truncated or broken do not prevent a picture from being shown",
    arguments: ["exif.avif", "exif.jxl"])
  func broken(name: String) throws {
    guard isDecodable(name) else { return }
    var data = try fixture("metadata/\(name)")
    let mark = try #require(data.range(of: Data("II*\0".utf8)))
    // Offsets of directories that are far outside.
    data.replaceSubrange(mark.upperBound..<mark.upperBound + 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
    let whole = try CodecRegistry.standard.picture(from: data)
    #expect(whole.header?.metadata == nil)
    guard name == "exif.avif" else { return }
    // In this file they are at the end.
    let cut = try CodecRegistry.standard.picture(from: fixture("metadata/\(name)").dropLast(100))
    #expect(cut.bitmap == whole.bitmap)
  }

  @Test(
    "have no resolution that no format can store",
    arguments: [([300, 1], 300), ([1, 10_000], nil), ([70_000, 1], nil)] as [([Int], Double?)])
  func resolution(fraction: [Int], resolution: Double?) throws {
    let exif = TaggedFile(picture: [.fractions(0x11A, fraction)]).data
    let jpeg = try fixture("matrix/jpeg-gray.jpg")
    let segment = Data("Exif\0\0".utf8) + exif
    // Before its scan, it has EXIF data in place of JFIF.
    let start = try #require(jpeg.range(of: Data([0xFF, 0xDB]))).lowerBound
    let file =
      jpeg.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(segment.count + 2)]) + segment + jpeg.dropFirst(start)
    let found = try CodecRegistry.standard.metadata(of: file).resolution
    #expect(found == resolution.map { ImageResolution(dotsPerInch: $0) })
    #expect(try CodecRegistry.standard.header(of: file).dotsPerInch == resolution)
  }

  @Test("of EXIF data tell whether there is a thumbnail")
  func thumbnail() throws {
    // A second directory with the offset of a thumbnail, and an empty first one.
    let exif: [UInt8] =
      Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 14, 0, 0, 0, 1, 0, 1, 2, 4, 0, 1, 0, 0, 0, 40, 0, 0, 0]
      + [0, 0, 0, 0]
    let jpeg = try fixture("matrix/jpeg-gray.jpg")
    let segment = Data("Exif\0\0".utf8) + Data(exif)
    let file =
      jpeg.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(segment.count + 2)]) + segment + jpeg.dropFirst(2)
    #expect(try CodecRegistry.standard.header(of: file).metadata?.hasThumbnail == true)
  }
}
