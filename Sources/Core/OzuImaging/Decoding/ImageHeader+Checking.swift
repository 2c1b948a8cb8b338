import OzuBase

extension ImageDecoding {
  /// Opens a file and checks that its header is possible: sizes, plans and budgets are computed from it.
  ///
  /// A decoder may belong to an app. Every header is checked here before it is used.
  ///
  /// - Throws: the errors of `open`; `corrupt` for an impossible header.
  func openChecked(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let file = try open(data, limits: limits)
    try check(file.header)
    return file
  }

  /// Refuses a header that is impossible for the decoder's types.
  ///
  /// - Throws: `corrupt`, with the reason.
  func check(_ header: ImageHeader) throws(ImageDecodingError) {
    guard let flaw = header.flaw(from: types) else { return }
    throw .corrupt(types.first ?? header.type, stage: "header", reason: flaw)
  }
}

extension ImageHeader {
  /// Why a header is impossible for a decoder of some types, in words; `nil` if it is possible.
  ///
  /// Every header passes this check before anything is computed from it: those of the decoders here, of an app's, and
  /// of other processes, which may have been taken over. Decoders leave out facts of a file that make no sense; here
  /// they are a mistake of the decoder.
  package func flaw(from types: [ImageType]) -> String? {
    if !types.contains(type) { return "its decoder calls it \(type.displayName)" }
    if !(0...Self.longestSide ~= storedSize.width && 0...Self.longestSide ~= storedSize.height) {
      return "a picture of \(storedSize) pixels"
    }
    if let exactSize, !Self.isRoundedUp(exactSize, to: storedSize) {
      return "a drawing of \(exactSize.x) x \(exactSize.y) in \(storedSize) pixels"
    }
    if !(1...Self.largestFrameCount ~= frameCount) { return "it has \(frameCount) frames" }
    if !(1...Self.mostBits ~= bitsPerComponent) { return "colours of \(bitsPerComponent) bits" }
    if let unit = regionUnit, unit.isEmpty { return "parts of \(unit) pixels" }
    if let dots = dotsPerInch, ImageResolution(dotsPerInch: dots).valid == nil {
      return "\(dots) dots per inch"
    }
    if let name = colorProfileName, name.utf8.count > Self.longestText { return "a profile with a long name" }
    if let flaw = gainMap?.flaw(for: storedSize) { return "its gain map: \(flaw)" }
    return colorEncoding?.flaw ?? lightLevels?.flaw ?? metadata?.flaw ?? planeLayout?.flaw ?? cameraRAW?.flaw
  }

  private static func isRoundedUp(_ exact: SIMD2<Double>, to size: PixelSize) -> Bool {
    exact.x > 0 && exact.x.rounded(.up) == Double(size.width)
      && exact.y > 0 && exact.y.rounded(.up) == Double(size.height)
  }

  /// The most that a format can state, TIFF: 2^32 - 1. Products with a target's side do not overflow.
  private static let longestSide = Int(UInt32.max)
  /// More than any format has; a program computes with the number.
  private static let mostBits = 128
  /// The most bytes of a text in a header, in UTF-8. Decoders here cut texts at a twentieth of it.
  fileprivate static let longestText = 4096
}

extension ImageMetadata {
  /// Why the blocks are impossible, in words; `nil` if they are possible. Decoders leave larger blocks out.
  package var flaw: String? {
    let blocks = [exif, xmp, iptc, colorProfile?.data].compactMap(\.self)
    return blocks.contains { $0.count > Self.largestBlock } ? "a block that is too large" : values.flaw
  }
}

extension ColorEncoding {
  fileprivate var flaw: String? {
    switch self {
    case .profile: return nil
    case .coded(let primaries, let transfer):
      // A byte each in ITU-T H.273, and two in the files of ISO/IEC 23008-12.
      let range = 0...Int(UInt16.max)
      return range ~= primaries && range ~= transfer ? nil : "colours by the numbers \(primaries)/\(transfer)"
    case .calibrated(let gamma, let points):
      return gamma.isFinite && points.isFinite ? nil : "colours that are not numbers"
    }
  }
}

extension Chromaticities {
  fileprivate var isFinite: Bool {
    [white, red, green, blue].allSatisfy { $0.x.isFinite && $0.y.isFinite }
  }
}

extension LightLevels {
  /// A little more than the blocks of files can store; tone mapping ignores less than that.
  package static let possible = 0...1_000_000.0

  fileprivate var flaw: String? {
    let levels = [maximumContent, maximumAverage, masteringPeak, masteringMinimum].compactMap(\.self)
    if let level = levels.first(where: { !(Self.possible ~= $0) }) { return "a light level of \(level)" }
    return masteringGamut?.isFinite == false ? "colours that are not numbers" : nil
  }
}

extension PictureMetadata {
  /// The range of EXIF's fractions of 32 bits: a program that prints an exposure divides by it.
  private static let fractions = 0x1p-32...0x1p32

  fileprivate var flaw: String? {
    let texts = [captureDate, camera, lens].compactMap(\.self)
    if texts.contains(where: { $0.utf8.count > ImageHeader.longestText }) { return "a long text of a camera" }
    let numbers = [exposureTime, fNumber, focalLength, isoSensitivity.map(Double.init)].compactMap(\.self)
    let number = numbers.first { !($0 == 0 || Self.fractions ~= $0) }
    return number.map { "an exposure with the number \($0)" }
  }
}

extension PlaneLayout {
  /// The same for planes: a chroma sample covers 1 to 4 pixels on each side; no format has other numbers.
  fileprivate var flaw: String? {
    if let step = chromaStep, !(1...4 ~= step.horizontal && 1...4 ~= step.vertical) {
      return "chroma for each \(step.horizontal) by \(step.vertical) pixels"
    }
    if let stripRows, !(1...64 ~= stripRows) { return "strips of \(stripRows) rows" }
    if case .wholePlanes(let bytes) = source, !(1...32 ~= bytes) { return "planes of \(bytes) bytes a pixel" }
    return nil
  }
}
