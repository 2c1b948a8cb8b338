import OzuBase
public import OzuImaging

/// The texts that addresses may have drawn over their results in the place of a picture: how they look, and what draws them.
///
/// ```swift
/// var rules = AddressRules()
/// rules.watermarkText = WatermarkText(
///   style: Label("", size: 24, color: .white), drawing: ImagePipeline.shared.labelDrawing)
/// ```
public struct WatermarkText: Sendable {
  /// How texts look; the text of this label is not used. Lengths are pixels at a density of 1. Without a width, lines are
  /// wrapped at that of the picture.
  public var style: Label
  /// The most characters of a text, at most `Label.largestCharacterCount`. Default: 200.
  public var largestCharacterCount = 200

  let drawing: any LabelDrawing

  /// Makes texts of a style.
  ///
  /// - Parameter drawing: measures and draws labels, such as `ImagePipeline.labelDrawing` of a pipeline with the settings of the
  ///   service.
  public init(style: Label, drawing: any LabelDrawing) {
    self.style = style
    self.drawing = drawing
  }

  /// A text in this style.
  ///
  /// - Throws: `AddressRefusal` for a text that is too long, or that no label can have.
  func label(_ text: String) throws(AddressRefusal) -> Label {
    let count = text.unicodeScalars.count
    guard count <= largestCharacterCount else {
      throw AddressRefusal(
        status: 400,
        reason: "watermark_text: \(count) characters, and \(largestCharacterCount) are drawn at most")
    }
    var label = style
    label.text = text
    label.isMarkup = false
    do throws(LabelError) {
      try label.check(.default)
    } catch {
      throw AddressRefusal(status: 400, reason: "watermark_text: \(error)")
    }
    return label
  }

  /// The text of an option, in base64url; `nil` for an empty one.
  static func text(_ option: AddressOption) throws(AddressRefusal) -> String? {
    try option.check(atMost: 1)
    guard let encoded = option[0] else { return nil }
    guard let bytes = Base64URL.bytes(of: encoded), let text = String(validating: bytes, as: UTF8.self) else {
      throw option.refusal("the text is needed in base64url")
    }
    return text
  }
}

/// Draws a text over a picture, where its address has the watermark.
struct PlacedText: ImageProcessing {
  /// The most pixels of a text that is larger than twice its picture.
  private static let leastRoom = 1 << 20

  let label: Label
  let place: WatermarkPlace
  /// What lengths in pixels are scaled by.
  let reached: ReachedDensity
  let drawing: any LabelDrawing

  var identifier: String { "placed-text(\(label.identifier),\(place.segment),\(reached.identifier))" }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let density = reached.value(for: bitmap.size)
    do throws(LabelError) {
      // So that an address cannot ask for more than its result costs.
      var limits = context.limits
      let room = max(bitmap.size.pixelCount.saturatingProduct(2), Self.leastRoom)
      limits.pixelCount = min(limits.pixelCount, room)
      let surroundings = DecodingContext(limits: limits, pool: context.pool)
      let text = try drawing.picture(
        of: try sized(for: bitmap.size, density, surroundings), context: surroundings)
      text.notes.forEach(context.note)
      return place.drawn(
        BGRABitmap(text.bitmap, pool: context.pool), opacity: 1, on: bitmap, density: density, context.pool)
    } catch {
      throw .failed("watermark_text", reason: "\(error)")
    }
  }

  /// The label in the size that it has on a picture.
  private func sized(
    for size: PixelSize, _ density: Double, _ context: DecodingContext
  ) throws(LabelError) -> Label {
    guard var box = place.box(in: size) else {
      var label = label.scaled(by: density)
      let around = 2 * ((label.background?.horizontalPadding ?? 0) + (label.outline?.width ?? 0))
      let room = size.width.saturatingDifference(Int(clamping: around, rounded: .up))
      label.width = max(1, min(label.width ?? .max, room))
      return label
    }
    // A text larger than its picture is not seen.
    box = PixelSize(min(box.width, size.width), min(box.height, size.height))
    let own = try drawing.size(of: label, context: context)
    let factor = min(Double(box.width) / Double(own.width), Double(box.height) / Double(own.height))
    // Within the sizes that a font may have, whatever rounding does.
    return label.scaled(by: max(1.01 / label.size, min(factor, 1999 / label.size)))
  }
}
