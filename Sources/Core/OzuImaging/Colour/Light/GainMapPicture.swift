import OzuBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A gain map with its pixels. It is written into a file so that the picture stays brighter on displays of high
/// dynamic range.
public struct GainMapPicture: Sendable {
  /// The parameters of the gains. The place of the map in a file is not used.
  public let numbers: GainMap
  /// The pixels, upright as the picture is; `gray8` if all colours share one gain.
  public let bitmap: Bitmap

  /// Makes a gain map from its parameters and its pixels.
  public init(_ numbers: GainMap, bitmap: Bitmap) {
    self.numbers = numbers
    self.bitmap = bitmap
  }

  /// Why a gain map is lost.
  package struct Loss: Error, CustomStringConvertible {
    package let description: String
  }
}

extension CodecRegistry {
  /// The gain map of a file, changed in the same way as the picture that was made from the file. The ratio of its
  /// size to the picture's stays the same.
  ///
  /// - Parameters:
  ///   - header: the header of the file.
  ///   - resize: the recipe of the decode.
  ///   - steps: the processors that followed it.
  ///   - picture: the result, upright.
  /// - Throws: the reason, in words for a note: a step that changes colours or depends on the place, a broken map,
  ///   limits.
  /// - Complexity: O(pixels of the map).
  package func gainMap(
    of data: Data, header: ImageHeader, resize: Resize?, steps: [any ImageProcessing], picture: Bitmap,
    context: DecodingContext
  ) throws(GainMapPicture.Loss) -> GainMapPicture? {
    guard let numbers = header.gainMap else { return nil }
    guard let geometry = PictureGeometry(source: header.size, resize: resize, steps: steps),
      geometry.size == picture.size
    else { throw GainMapPicture.Loss(description: "steps have changed more than size, place and direction") }
    if numbers.channels.count > 1, header.colorEncoding != nil, picture.colorSpace == .sRGB {
      throw GainMapPicture.Loss(
        description: "its gains are meant for the colours of the file, which were converted")
    }
    let map: Bitmap
    do throws(ImageDecodingError) {
      map = try self.map(numbers, in: data, header, besides: picture.byteCount, context)
    } catch {
      throw GainMapPicture.Loss(description: "\(error)")
    }
    let upright = map.upright(from: header.orientation, pool: context.pool)
    let (horizontal, vertical) = (
      Double(upright.size.width) / Double(header.size.width),
      Double(upright.size.height) / Double(header.size.height)
    )
    let region = geometry.region.scaled(horizontal: horizontal, vertical: vertical)
    // Never more pixels than before: a picture that was enlarged has no more gains.
    func side(_ length: Int, _ scale: Double, _ most: Double) -> Int {
      max(1, Int(clamping: min(Double(length) * scale, most), rounded: .toNearestOrAwayFromZero))
    }
    let before = geometry.sizeBeforeTurns
    let size = PixelSize(
      side(before.width, horizontal, region.width), side(before.height, vertical, region.height))
    var result = Resampler(kernel: .bilinear).resample(upright, region: region, to: size, pool: context.pool)
    for turn in geometry.turns { result = result.upright(from: turn.orientation, pool: context.pool) }
    var own = numbers
    (own.size, own.bytes, own.edits) = (result.size, 0..<0, [])
    if own.coding == .light, let channel = own.channels.first {
      result = own.inStops(result, channel)
      own.coding = .stops
    }
    // Parameters that all colours share can still belong to values that differ.
    let isGray = numbers.channels.count == 1 && result.isGray
    return GainMapPicture(own, bitmap: isGray ? result.converted(to: .gray8, pool: context.pool) : result)
  }
}

extension GainMap {
  /// Converts values in light to values in stops, from 0 to the greatest gain.
  fileprivate func inStops(_ map: Bitmap, _ channel: Channel) -> Bitmap {
    let table = (0...255).map { value in
      UInt8(clamping: stops(Double(value) / 255, channel) / channel.maximum * 255 + 0.5)
    }
    return Bitmap(size: map.size, isOpaque: true) { x, y in
      let pixel = map[x, y]
      return Pixel(red: table[Int(pixel.red)], green: table[Int(pixel.green)], blue: table[Int(pixel.blue)])
    }
  }
}

extension Bitmap {
  /// Whether red, green and blue are the same in every pixel.
  fileprivate var isGray: Bool {
    guard format == .bgra8 else { return format == .gray8 }
    return withUnsafeBytes { bytes in
      (0..<size.height).allSatisfy { y in
        (0..<size.width).allSatisfy { x in
          let place = y * bytesPerRow + x * 4
          return bytes[place] == bytes[place + 1] && bytes[place] == bytes[place + 2]
        }
      }
    }
  }
}
