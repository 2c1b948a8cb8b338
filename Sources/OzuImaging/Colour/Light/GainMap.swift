#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// A smaller picture in the file that says by how much each part of the picture is brighter on a display of high dynamic
/// range (ISO 21496-1; Ultra HDR's `hdrgm`).
public struct GainMap: Hashable, Sendable {
  /// The numbers of one colour, or of all three.
  public struct Channel: Hashable, Sendable {
    /// The gain that the value 0 of the map stands for, as a power of two.
    public var minimum: Double
    /// The gain of its greatest value.
    public var maximum: Double
    /// The exponent by which values of the map were coded.
    public var gamma: Double
    /// What is added to the light of the picture before it is multiplied.
    public var baseOffset: Double
    /// What is taken away after that.
    public var alternateOffset: Double

    /// Makes numbers.
    public init(
      minimum: Double, maximum: Double, gamma: Double = 1, baseOffset: Double = 1.0 / 64,
      alternateOffset: Double = 1.0 / 64
    ) {
      (self.minimum, self.maximum, self.gamma) = (minimum, maximum, gamma)
      (self.baseOffset, self.alternateOffset) = (baseOffset, alternateOffset)
    }

    /// Whether they can be: finite, in order, and gains of up to 65,536.
    var isSane: Bool {
      -16...16 ~= minimum && minimum...16 ~= maximum && 0.01...100 ~= gamma && -1...1 ~= baseOffset
        && -1...1 ~= alternateOffset
    }
  }

  /// The size of the map in pixels.
  public var size: PixelSize
  /// Where its file lies in that of the picture.
  public var bytes: Range<Int>
  /// One for all colours, or three for red, green and blue.
  public var channels: [Channel]
  /// The headroom up to which the picture is shown as it is, as a power of two.
  public var baseHeadroom: Double
  /// The headroom from which the whole gain is applied.
  public var alternateHeadroom: Double

  /// Whether gains are those of the colours of the picture, and not of others that it has to be converted to before (ISO 21496-1
  /// `use_base_colour_space`).
  public var isInColorsOfPicture = true

  /// What values of the map are.
  package enum Coding: Int, Hashable, Sendable {
    /// Parts of the way between the least and the greatest gain, as powers of two.
    case stops
    /// Parts of the light that the greatest gain adds, under the curve of BT.709: Apple's maps.
    case light
  }

  package var coding = Coding.stops

  /// Bytes that stand in the file of the map where that of the picture has others.
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

  /// Why it cannot be used with a picture of a size; `nil` when it can.
  package func flaw(for picture: PixelSize) -> String? {
    guard channels.count == 1 || channels.count == 3, channels.allSatisfy(\.isSane), 0...16 ~= baseHeadroom,
      0...16 ~= alternateHeadroom, baseHeadroom != alternateHeadroom
    else { return "its numbers make no sense" }
    guard baseHeadroom < alternateHeadroom else { return "it makes a picture of high dynamic range darker" }
    // Parts may be darker on a brighter display; a picture that is darker everywhere needs no headroom.
    guard channels.contains(where: { $0.maximum >= 0 }) else {
      return "it makes the picture darker on displays that are brighter"
    }
    // A gain that all colours share is the same in every space of linear light.
    guard isInColorsOfPicture || channels.count == 1 else { return "its gains are meant for other colours" }
    guard !size.isEmpty, !picture.isEmpty else { return "it has no size" }
    let shape = Double(size.width) / Double(size.height) * Double(picture.height) / Double(picture.width)
    // Sides are rounded to whole pixels, and by some writers to whole blocks.
    let slack = 0.02 + 8 / Double(min(size.width, size.height))
    return abs(shape - 1) <= slack ? nil : "it has another shape than the picture"
  }

  /// The whole gain of a value of the map from 0 to 1, as a power of two.
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

  /// How much of the gain is applied for a display that is so many times as bright as white.
  func weight(headroom: Double) -> Double {
    guard headroom > 0 else { return 0 }
    let stops = log2(headroom)
    return min(max((stops - baseHeadroom) / (alternateHeadroom - baseHeadroom), 0), 1)
  }
}
