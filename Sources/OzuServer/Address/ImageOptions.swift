import OzuImaging

/// What an address asks to be made of its source.
///
/// Options come one after the other; a later one takes the place of an earlier one of the same name, as presets need.
package struct ImageOptions: Hashable, Sendable {
  /// How a picture is brought to a size.
  enum Resizing: String, Hashable, Sendable, CaseIterable {
    case fit, fill, fillDown = "fill-down", force
  }

  /// Which part of a picture counts.
  enum Gravity: Hashable, Sendable {
    /// At an edge or a corner, so many pixels away from it; or from the middle.
    case anchor(Anchor, x: Int, y: Int)
    /// A point, in parts of the width and the height.
    case point(x: Double, y: Double)
    /// Where people look.
    case attention
  }

  var resizing = Resizing.fit
  /// 0 for whatever the proportions give.
  var width = 0
  var height = 0
  /// How many pixels make a point of `width` and `height`; `nil` where nothing was said.
  var density: Double?
  var enlarges = false
  var extends = false
  var gravity = Gravity.anchor(.center, x: 0, y: 0)
  /// Before the resizing; 0 for the whole side.
  var cropWidth = 0
  var cropHeight = 0
  var cropGravity: Gravity?
  var trimTolerance: Int?
  /// Quarter turns, clockwise.
  var quarterTurns = 0
  var flipsHorizontally = false
  var flipsVertically = false
  var blur = 0.0
  var sharpening = 0.0
  /// Top, right, bottom, left.
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
  /// In seconds since 1970.
  var expiry: Int?
  /// Changes nothing but the address.
  var cacheBuster: String?

  package init() {}

  /// The words of gravities that are places.
  static let anchors: [(word: String, anchor: Anchor)] = [
    ("ce", .center), ("no", .top), ("so", .bottom), ("we", .left), ("ea", .right), ("nowe", .topLeft),
    ("noea", .topRight), ("sowe", .bottomLeft), ("soea", .bottomRight),
  ]

  /// The formats that can be asked for, by their words.
  static let types: [(word: String, type: ImageType)] = [
    ("jpg", .jpeg), ("jpeg", .jpeg), ("png", .png), ("webp", .webp), ("avif", .avif), ("gif", .gif),
    ("jxl", .jxl),
  ]

  static func type(_ word: some StringProtocol) -> ImageType? { types.first { $0.word == word }?.type }
}
