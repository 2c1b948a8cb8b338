import OzuBase

/// A smaller picture inside the file that says how much brighter each place is on a display of high dynamic range
/// (ISO 21496-1; `hdrgm` of Ultra HDR).
public struct GainMap: Hashable, Sendable {
  /// The parameters of one colour, or of all three.
  public struct Channel: Hashable, Sendable {
    /// The gain of the map's value 0, as a power of two.
    public var minimum: Double
    /// The gain of the map's greatest value, as a power of two.
    public var maximum: Double
    /// The exponent with which the values of the map are encoded.
    public var gamma: Double
    /// The offset that is added to the light of the picture before it is multiplied.
    public var baseOffset: Double
    /// The offset that is subtracted after that.
    public var alternateOffset: Double

    /// Makes the parameters of a channel.
    public init(
      minimum: Double, maximum: Double, gamma: Double = 1, baseOffset: Double = 1.0 / 64,
      alternateOffset: Double = 1.0 / 64
    ) {
      (self.minimum, self.maximum, self.gamma) = (minimum, maximum, gamma)
      (self.baseOffset, self.alternateOffset) = (baseOffset, alternateOffset)
    }

    /// Whether all numbers are finite, in order, and describe gains of at most 65,536.
    var isSane: Bool {
      -16...16 ~= minimum && minimum...16 ~= maximum && 0.01...100 ~= gamma && -1...1 ~= baseOffset
        && -1...1 ~= alternateOffset
    }
  }

  /// The size of the map in pixels.
  public var size: PixelSize
  /// The range of the map's own file inside the file of the picture.
  public var bytes: Range<Int>
  /// One for all colours, or three for red, green and blue.
  public var channels: [Channel]
  /// The headroom up to which the picture is shown without any gain, as a power of two.
  public var baseHeadroom: Double
  /// The headroom from which the whole gain is applied, as a power of two.
  public var alternateHeadroom: Double

  /// Whether the gains are for the colours of the picture, and not for a colour space that the picture has to be
  /// converted to first (ISO 21496-1 `use_base_colour_space`).
  public var isInColorsOfPicture = true

  /// The meaning of the values of the map.
  package enum Coding: Int, Hashable, Sendable {
    /// Fractions of the range from the least to the greatest gain, as powers of two.
    case stops
    /// Fractions of the light that the greatest gain adds, under the curve of BT.709: Apple's maps.
    case light
  }

  package var coding = Coding.stops

  /// Bytes that the map's file has instead of those of the picture's file.
  package struct Edit: Hashable, Sendable {
    package var offset: Int
    package var bytes: [UInt8]

    package init(offset: Int, bytes: [UInt8]) {
      (self.offset, self.bytes) = (offset, bytes)
    }
  }

  package var edits: [Edit] = []

  /// Makes a gain map.
  public init(
    size: PixelSize, bytes: Range<Int>, channels: [Channel], baseHeadroom: Double = 0,
    alternateHeadroom: Double
  ) {
    (self.size, self.bytes, self.channels) = (size, bytes, channels)
    (self.baseHeadroom, self.alternateHeadroom) = (baseHeadroom, alternateHeadroom)
  }

  /// Why the map cannot be used with a picture of this size; `nil` if it can.
  package func flaw(for picture: PixelSize) -> String? {
    guard channels.count == 1 || channels.count == 3, channels.allSatisfy(\.isSane), 0...16 ~= baseHeadroom,
      0...16 ~= alternateHeadroom, baseHeadroom != alternateHeadroom
    else { return "its numbers make no sense" }
    // Apple's maps have one gain, from no light to some light.
    if coding == .light, channels.count > 1 || channels.contains(where: { $0.maximum <= 0 }) {
      return "its numbers make no sense"
    }
    guard baseHeadroom < alternateHeadroom else { return "it makes a picture of high dynamic range darker" }
    // Places may become darker on a brighter display; a picture that becomes darker everywhere needs no headroom.
    guard channels.contains(where: { $0.maximum >= 0 }) else {
      return "it makes the picture darker on displays that are brighter"
    }
    // A gain that all colours share is the same in every linear colour space.
    guard isInColorsOfPicture || channels.count == 1 else { return "its gains are meant for other colours" }
    guard !size.isEmpty, !picture.isEmpty else { return "it has no size" }
    let shape = Double(size.width) / Double(size.height) * Double(picture.height) / Double(picture.width)
    // Sides are rounded to whole pixels, and by some writers to whole blocks.
    let slack = 0.02 + 8 / Double(min(size.width, size.height))
    return abs(shape - 1) <= slack ? nil : "it has another shape than the picture"
  }

  /// The whole gain for a value of the map from 0 to 1, as a power of two.
  func stops(_ value: Double, _ channel: Channel) -> Double {
    switch coding {
    case .stops:
      let share = pow(value, 1 / channel.gamma)
      return channel.minimum * (1 - share) + channel.maximum * share
    case .light:
      let share = value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
      return log2(1 + (exp2(channel.maximum) - 1) * share)
    }
  }

  /// The fraction of the gain to apply for a display that is `headroom` times as bright as white.
  func weight(headroom: Double) -> Double {
    guard headroom > 0 else { return 0 }
    let stops = log2(headroom)
    return min(max((stops - baseHeadroom) / (alternateHeadroom - baseHeadroom), 0), 1)
  }
}

extension GainMap {
  /// Applies the gain map for a display with this headroom. The result is `rgba16` under PQ with white at 203
  /// candelas per square metre (BT.2408) and the primaries of sRGB: H.273 1/16.
  ///
  /// - Parameters:
  ///   - base: the picture in sRGB.
  ///   - map: the bitmap of the gain map, as stored, with the size of the picture.
  ///   - headroom: how many times brighter than white the display can be.
  /// - Returns: the picture, and its light levels by CTA-861.3: the maximum and the mean of the greatest component
  ///   of each pixel, in candelas, rounded up.
  /// - Complexity: O(pixels).
  func apply(
    to base: Bitmap, _ map: Bitmap, headroom: Double, pool: PixelBufferPool
  ) -> (picture: Bitmap, levels: LightLevels) {
    precondition(base.size == map.size, "a map of the size of its picture")
    let weight = weight(headroom: headroom)
    // One or three: `flaw` was asked.
    let numbers = (0..<3).map { channels[$0 % channels.count] }
    // Indexed by the value of the map: 256 gains.
    let gains = numbers.map { channel in
      (0..<256).map { exp2(stops(Double($0) / 255, channel) * weight) }
    }
    let most = min(headroom * ToneMapping.white, PerceptualQuantizer.peak)
    var (peak, sum) = (0.0, 0.0)
    let picture = Bitmap(
      size: base.size, format: .rgba16, isOpaque: base.isOpaque,
      colorSpace: .coded(primaries: 1, transfer: HighDynamicRange.Transfer.perceptualQuantizer.rawValue),
      pool: pool
    ) { target, targetBytesPerRow in
      base.withUnsafeBytes { pixels in
        map.withUnsafeBytes { values in
          for y in 0..<base.size.height {
            // Rows lie inside the bytes of their bitmaps, which have one size.
            let from = UnsafeRawBufferPointer(rebasing: pixels[(y * base.bytesPerRow)...])
            let by = UnsafeRawBufferPointer(rebasing: values[(y * map.bytesPerRow)...])
            let to = UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...])
            for x in 0..<base.size.width {
              let pixel = from.words(x, base.format)
              let value = by.words(x, map.format)
              guard pixel.w > 0 else {
                to.store(.zero, x, .rgba16)
                continue
              }
              let alpha = Double(pixel.w)
              var result = SIMD4<UInt32>(0, 0, 0, pixel.w)
              var greatest = 0.0
              for index in 0..<3 {
                let number = numbers[index]
                let light = SRGBCurve.light(min(Double(pixel[index]) / alpha, 1))
                let brighter =
                  (light + number.baseOffset) * gains[index][Int(value[index] >> 8)] - number.alternateOffset
                let shown = min(max(weight > 0 ? brighter : light, 0) * ToneMapping.white, most)
                greatest = max(greatest, shown)
                result[index] = UInt32(PerceptualQuantizer.value(shown) * alpha + 0.5)
              }
              peak = max(peak, greatest)
              sum += greatest
              to.store(result, x, .rgba16)
            }
          }
        }
      }
    }
    // A level of 0 would mean "unknown".
    func candelas(_ light: Double) -> Double { max(light.rounded(.up), 1) }
    let levels = LightLevels(
      maximumContent: candelas(peak), maximumAverage: candelas(sum / Double(max(base.size.pixelCount, 1))))
    return (picture, levels)
  }
}

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
