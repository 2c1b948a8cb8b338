import OzuImaging

/// What an address demands of its source beyond the limits of the service: the options `max_src_resolution` and others. They
/// only make a limit smaller, so everybody may use them.
public struct SourceLimits: Hashable, Sendable {
  /// The most pixels of all frames together; `nil` for no other limit than the service's.
  public var pixelCount: Int?
  /// The most pixels of a frame; with it `pixelCount` is not checked for animations.
  public var framePixelCount: Int?
  /// The most bytes of the file.
  public var byteCount: Int?
  /// The most frames: with 1 the first of an animation is shown alone, with more a longer animation is refused.
  public var frameCount: Int?

  /// Makes no limits.
  public init() {}

  /// Whether the source must be looked at before a picture is made.
  var needsHeader: Bool { pixelCount != nil || framePixelCount != nil || frameCount ?? 1 > 1 }

  /// What is wrong with the number of bytes of a file, in words; `nil` for nothing.
  func flaw(ofByteCount count: Int) -> String? {
    byteCount.map { count > $0 } == true ? "the file has more bytes than the address allows" : nil
  }

  /// What is wrong with a source, in words; `nil` for nothing.
  func flaw(of header: ImageHeader) -> String? {
    if let frameCount, frameCount > 1, header.frameCount > frameCount {
      return "the picture has more frames than the address allows"
    }
    let pixels = header.storedSize.pixelCount
    if let framePixelCount, header.frameCount > 1 {
      return pixels > framePixelCount ? "a frame has more pixels than the address allows" : nil
    }
    guard let pixelCount else { return nil }
    let frames = max(1, min(header.frameCount, frameCount ?? .max))
    let (all, isTooLarge) = pixels.multipliedReportingOverflow(by: frames)
    return isTooLarge || all > pixelCount ? "the picture has more pixels than the address allows" : nil
  }

  /// Applies an option.
  ///
  /// - Returns: whether it is one about limits.
  mutating func apply(_ option: AddressOption) throws(AddressRefusal) -> Bool {
    switch option.name {
    case "max_src_resolution", "msr": pixelCount = try Self.megapixels(option)
    case "max_animation_frame_resolution", "mafr": framePixelCount = try Self.megapixels(option)
    case "max_src_file_size", "msfs":
      let number = try option.single().integer(0, in: 0...Int(Int32.max)) ?? 0
      byteCount = number == 0 ? nil : number
    case "max_animation_frames", "maf":
      guard let number = try option.single().integer(0, in: 1...65_535) else {
        throw option.refusal("a number of frames is needed")
      }
      frameCount = number
    default: return false
    }
    return true
  }

  /// A number of megapixels, in pixels; `nil` for 0.
  private static func megapixels(_ option: AddressOption) throws(AddressRefusal) -> Int? {
    let number = try option.single().number(0, in: 0...1_000_000) ?? 0
    return number == 0 ? nil : Int(clamping: number * 1_000_000, rounded: .toNearestOrAwayFromZero)
  }

  var segments: [String] {
    var list: [String] = []
    if let pixelCount { list.append("msr:\((Double(pixelCount) / 1_000_000).addressText)") }
    if let framePixelCount { list.append("mafr:\((Double(framePixelCount) / 1_000_000).addressText)") }
    if let byteCount { list.append("msfs:\(byteCount)") }
    if let frameCount { list.append("maf:\(frameCount)") }
    return list
  }
}
