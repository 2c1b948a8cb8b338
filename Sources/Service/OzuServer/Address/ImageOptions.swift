import OzuImaging

/// The options of an address.
///
/// Options are applied in order. A later one replaces an earlier one of the same name, as presets need.
package struct ImageOptions: Hashable, Sendable {
  /// How a picture is fitted to a size.
  enum Resizing: String, Hashable, Sendable, CaseIterable {
    case fit, fill, fillDown = "fill-down", force
  }

  /// The part of a picture that is kept when it is cropped.
  enum Gravity: Hashable, Sendable {
    /// An edge, a corner or the centre, with an offset in pixels.
    case anchor(ImageAnchor, x: Int, y: Int)
    /// A point, as fractions of the width and the height.
    case point(x: Double, y: Double)
    /// The part that attracts attention.
    case attention
  }

  var resizing = Resizing.fit
  /// 0 if it follows from the proportions.
  var width = 0
  var height = 0
  /// The number of pixels per point of `width` and `height`; `nil` if not given.
  var density: Double?
  var enlarges = false
  var extends = false
  var gravity = Gravity.anchor(.center, x: 0, y: 0)
  /// The crop before the resize; 0 for the whole side.
  var cropWidth = 0
  var cropHeight = 0
  var cropGravity: Gravity?
  var trimTolerance: Int?
  /// The number of quarter turns, clockwise.
  var quarterTurns = 0
  var flipsHorizontally = false
  var flipsVertically = false
  var blur = 0.0
  var sharpening = 0.0
  /// The margins: top, right, bottom, left.
  var padding = [0, 0, 0, 0]
  var background: ColorValue?
  var quality: Int?
  var qualities: [ImageType: Int] = [:]
  var byteLimit: Int?
  var keepsMetadata = false
  var keepsProfile = false
  var type: ImageType?
  var fileName: String?
  var isAttachment = false
  /// The expiry date in seconds since 1970.
  var expiry: Int?
  /// A value that changes only the address.
  var cacheBuster: String?

  package init() {}

  /// The words for gravities that are anchors.
  static let anchors: [(word: String, anchor: ImageAnchor)] = [
    ("ce", .center), ("no", .top), ("so", .bottom), ("we", .left), ("ea", .right), ("nowe", .topLeft),
    ("noea", .topRight), ("sowe", .bottomLeft), ("soea", .bottomRight),
  ]

  /// The formats that can be requested; their words are the endings of their files, and the first one is written.
  static let formats = ImageFormat.written

  static func type(_ word: some StringProtocol) -> ImageType? {
    formats.first { $0.endings.contains(String(word)) }?.type
  }
}
