import Foundation
import OzuCodecs
import OzuImaging

/// Reads a text as the XMP of a gain map, and writes it as the XMP of a picture that gets one.
@Sendable
func fuzzXMP(_ input: Data) {
  guard let sample = Sample.made, input.count < 60_000 else { return }
  var options = EncodingOptions()
  options.metadata.xmp = input
  var notes: [String] = []
  if let file = try? fuzzCodecs.encode(sample.picture, with: sample.map, options: options, notes: &notes) {
    let header = try? fuzzCodecs.header(of: file, limits: fuzzLimits)
    precondition(header?.gainMap != nil, "a gain map that is not found again")
    fuzzMetadata(of: file)
  }
  // The map has no other description than this text.
  let name = Data("http://ns.adobe.com/xap/1.0/\0".utf8)
  let length = UInt16(2 + name.count + input.count)
  let segment = Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(truncatingIfNeeded: length)]) + name + input
  let map = sample.mapFile.prefix(2) + segment + sample.mapFile.dropFirst(2)
  let file = JPEGGainMapFile.joined(sample.pictureFile, map)
  guard let header = try? fuzzCodecs.header(of: file, limits: fuzzLimits), let found = header.gainMap,
    found.flaw(for: header.size) == nil
  else { return }
  let numbers = found.channels.flatMap {
    [$0.minimum, $0.maximum, $0.gamma, $0.baseOffset, $0.alternateOffset]
  }
  precondition(numbers.allSatisfy(\.isFinite), "a gain that is no number")
  let context = DecodingContext(limits: fuzzLimits, colorPolicy: .convertToSRGB)
  _ = try? fuzzCodecs.picture(from: file, context: context)
}

private struct Sample {
  let picture: Bitmap
  let map: GainMapPicture
  let pictureFile: Data
  let mapFile: Data

  static let made: Sample? = {
    func bitmap(_ size: PixelSize) -> Bitmap {
      Bitmap(size: size, isOpaque: true) { x, y in Pixel(red: UInt8(x * 10), green: UInt8(y * 10), blue: 90) }
    }
    let (picture, gains) = (bitmap(PixelSize(16, 16)), bitmap(PixelSize(8, 8)))
    let channel = GainMap.Channel(minimum: 0, maximum: 2, gamma: 1, baseOffset: 0, alternateOffset: 0)
    let numbers = GainMap(
      size: PixelSize(8, 8), bytes: 0..<0, channels: [channel, channel, channel], baseHeadroom: 0,
      alternateHeadroom: 2)
    guard let pictureFile = try? fuzzCodecs.encode(picture, as: .jpeg),
      let mapFile = try? fuzzCodecs.encode(gains, as: .jpeg)
    else { return nil }
    return Sample(
      picture: picture, map: GainMapPicture(numbers, bitmap: gains), pictureFile: pictureFile,
      mapFile: mapFile)
  }()
}
