import OzuBase
import OzuImaging

/// The options of an address.
///
/// Options are applied in order. A later one replaces an earlier one of the same name, as presets need.
package struct ImageOptions: Hashable, Sendable {
  enum Resizing: String, Hashable, Sendable, CaseIterable {
    case fit, fill, fillDown = "fill-down", force
    /// `fill` if the picture and the size are both upright, or neither is; else `fit`.
    case auto
  }

  /// The part of a picture that is kept when it is cropped.
  enum Gravity: Hashable, Sendable {
    /// An edge, a corner or the centre, with an offset: in pixels, or below 1 as a fraction of the picture's side.
    case anchor(ImageAnchor, x: Double, y: Double)
    /// A point, as fractions of the width and the height.
    case point(x: Double, y: Double)
    /// The part that attracts attention.
    case attention

    static let center = Gravity.anchor(.center, x: 0, y: 0)
  }

  var resizing = Resizing.fit
  /// 0 if it follows from the proportions.
  var width = 0
  var height = 0
  /// The number of pixels per point of `width` and `height`; `nil` if not given.
  var density: Double?
  /// The least sides of the resized picture; 0 for none.
  var minimumWidth = 0
  var minimumHeight = 0
  /// Factors of the size, or of the picture's own one.
  var zoomX = 1.0
  var zoomY = 1.0
  var enlarges = false
  /// Where the picture is in the size that it is extended to; `nil` if it is not.
  var extensionGravity: Gravity?
  /// Where the picture is when it is extended to the proportions of the size; `nil` if it is not.
  var proportionsGravity: Gravity?
  var gravity = Gravity.center
  /// The crop before the resize, in pixels, or below 1 as a fraction of a side; 0 for the whole side.
  var cropWidth = 0.0
  var cropHeight = 0.0
  var cropGravity: Gravity?
  /// How much the border may differ from its colour, 0 to 255.
  var trimTolerance: Int?
  var trimColor: ColorValue?
  var trimEvenAxes: Trim.Axes = []
  /// The number of quarter turns, clockwise.
  var quarterTurns = 0
  var flipsHorizontally = false
  var flipsVertically = false
  var blur = 0.0
  var sharpening = 0.0
  /// The side of the blocks of one colour; 0 for none.
  var pixelation = 0
  /// The margins: top, right, bottom, left.
  var padding = [0, 0, 0, 0]
  var background: ColorValue?
  var watermark: WatermarkPlace?
  /// The text that is drawn in the place of the watermark.
  var watermarkText: String?
  var quality: Int?
  var qualities: [ImageType: Int] = [:]
  var byteLimit: Int?
  /// The score of SSIMULACRA2 that the file must have, instead of a quality.
  var targetScore: Double?
  var keepsMetadata = false
  /// Whether the copyright stays where the other metadata do not; `nil` for the rule's own value.
  var keepsCopyright: Bool?
  var keepsProfile = false
  /// Whether the bits of the source stay, where the format has them.
  var keepsDepth = false
  /// Whether the thumbnail in a file may stand for the picture.
  var usesThumbnail = false
  /// Whether the bytes of the source are the answer, whatever they are.
  var isRaw = false
  /// The formats of sources whose bytes are the answer.
  var skippedTypes: Set<ImageType> = []
  var sourceLimits = SourceLimits()
  /// The largest side of the result, to which it is reduced; 0 for none.
  var largestResultSide = 0
  var type: ImageType?
  var fileName: String?
  var isAttachment = false
  /// The expiry date in seconds since 1970.
  var expiry: Int?
  /// A value that changes only the address.
  var cacheBuster: String?

  package init() {}

  static let anchors: [(word: String, anchor: ImageAnchor)] = [
    ("ce", .center), ("no", .top), ("so", .bottom), ("we", .left), ("ea", .right), ("nowe", .topLeft),
    ("noea", .topRight), ("sowe", .bottomLeft), ("soea", .bottomRight),
  ]

  /// The formats that can be requested; their words are the endings of their files, and the first one is written.
  static let formats = ImageFormat.written

  static func type(_ word: some StringProtocol) -> ImageType? {
    formats.first { $0.endings.contains(String(word)) }?.type
  }

  /// Why a word names no format of results, and what to write in its place.
  static func reasonAgainst(format word: String) -> String {
    let words = formats.map(\.endings[0]).joined(separator: ", ")
    if word == "best" { return "imgproxy Pro's choice is not supported: without a format Accept decides" }
    guard ImageFormat.known.contains(where: { $0.endings.contains(word) }) else {
      return "there is no such format: it can be \(words)"
    }
    let isPlain = ["bmp", "ico", "tiff", "tif"].contains(word)
    return "this format is read here and not written: "
      + (isPlain ? "png and webp keep every pixel in fewer bytes" : "it can be \(words)")
  }
}

extension ImageOptions {
  /// The options as they are written in an address, without those that have no effect. The format is written after
  /// the source.
  var segments: [String] {
    let plain = ImageOptions()
    var list: [String] = []
    if (resizing, width, height, enlarges) != (plain.resizing, plain.width, plain.height, plain.enlarges) {
      list.append("rs:\(resizing.rawValue):\(width):\(height)\(enlarges ? ":1" : "")")
    }
    if minimumWidth > 0 { list.append("mw:\(minimumWidth)") }
    if minimumHeight > 0 { list.append("mh:\(minimumHeight)") }
    if (zoomX, zoomY) != (1, 1) { list.append("z:\(zoomX.addressText):\(zoomY.addressText)") }
    if let density { list.append("dpr:\(density.addressText)") }
    if let extensionGravity { list.append("ex:1:\(extensionGravity.text)") }
    if let proportionsGravity { list.append("exar:1:\(proportionsGravity.text)") }
    if gravity != plain.gravity { list.append("g:\(gravity.text)") }
    if cropWidth > 0 || cropHeight > 0 || cropGravity != nil {
      list.append(
        "c:\(cropWidth.addressText):\(cropHeight.addressText)" + (cropGravity.map { ":\($0.text)" } ?? ""))
    }
    if let trimTolerance {
      let axes = [Trim.Axes.horizontal, .vertical].map { trimEvenAxes.contains($0) ? "1" : "0" }
      let rest = trimColor == nil && trimEvenAxes.isEmpty ? [] : [trimColor?.addressText ?? ""] + axes
      list.append((["t:\(trimTolerance)"] + rest).joined(separator: ":"))
    }
    if quarterTurns > 0 { list.append("rot:\(quarterTurns * 90)") }
    if flipsHorizontally || flipsVertically {
      list.append("fl:\(flipsHorizontally ? 1 : 0):\(flipsVertically ? 1 : 0)")
    }
    if blur > 0 { list.append("bl:\(blur.addressText)") }
    if sharpening > 0 { list.append("sh:\(sharpening.addressText)") }
    if pixelation > 0 { list.append("pix:\(pixelation)") }
    if padding != plain.padding { list.append("pd:" + padding.map(String.init).joined(separator: ":")) }
    if let background { list.append("bg:\(background.red):\(background.green):\(background.blue)") }
    if let watermark { list.append(watermark.segment) }
    if let watermarkText { list.append("wmt:\(Base64URL.text(of: Array(watermarkText.utf8)))") }
    return list + outputSegments + sourceSegments
  }

  private var sourceSegments: [String] {
    var list: [String] = []
    if usesThumbnail { list.append("eth:1") }
    if isRaw { list.append("raw:1") }
    let skipped = ImageFormat.known.filter { skippedTypes.contains($0.type) }
    if !skipped.isEmpty { list.append("skp:" + skipped.map(\.type.fileExtension).joined(separator: ":")) }
    list += sourceLimits.segments
    if largestResultSide > 0 { list.append("mrd:\(largestResultSide)") }
    return list
  }

  private var outputSegments: [String] {
    var list: [String] = []
    if let quality { list.append("q:\(quality)") }
    let pairs = Self.formats.compactMap { format in
      qualities[format.type].map { "\(format.type.fileExtension):\($0)" }
    }
    if !pairs.isEmpty { list.append("fq:" + pairs.joined(separator: ":")) }
    if let byteLimit { list.append("mb:\(byteLimit)") }
    if let targetScore { list.append("aq:ssimulacra2:\(targetScore)") }
    if keepsMetadata { list.append("sm:0") }
    if let keepsCopyright { list.append("kcr:\(keepsCopyright ? 1 : 0)") }
    if keepsProfile { list.append("scp:0") }
    if keepsDepth { list.append("ph:1") }
    if let fileName { list.append("fn:\(Base64URL.text(of: Array(fileName.utf8))):1") }
    if isAttachment { list.append("att:1") }
    if let expiry { list.append("exp:\(expiry)") }
    if let cacheBuster { list.append("cb:\(cacheBuster)") }
    return list
  }
}

extension ImageOptions.Gravity {
  fileprivate var text: String {
    switch self {
    case .attention: "sm"
    case .point(let x, let y): "fp:\(x.addressText):\(y.addressText)"
    case .anchor(let anchor, let x, let y):
      ImageOptions.anchors.first { $0.anchor == anchor }!.word
        + (x == 0 && y == 0 ? "" : ":\(x.addressText):\(y.addressText)")
    }
  }
}

extension ColorValue {
  fileprivate var addressText: String {
    [red, green, blue].hexadecimal
  }
}

extension Double {
  /// The number as an address has it: without a fraction if it is whole, and without an exponent.
  var addressText: String {
    if let whole = Int(exactly: self) { return "\(whole)" }
    let text = "\(self)"
    return text.contains("e") ? FixedPoint.text(self, digits: 12) : text
  }
}
