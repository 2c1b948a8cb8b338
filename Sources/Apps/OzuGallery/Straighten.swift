import Foundation
import Ozu
import OzuBase

/// Turns a picture by a few degrees and keeps the largest part of the same proportions that the turned picture covers, so that
/// no corner is empty.
package struct Straighten: ImageProcessing, Hashable {
  /// The angle in degrees, clockwise.
  package let degrees: Double

  package init(degrees: Double) { self.degrees = degrees }

  /// The largest angle that is offered, to both sides.
  static let largest = 15.0

  package var identifier: String { "straighten(\(degrees))" }

  package func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap
  {
    guard degrees != 0 else { return bitmap }
    // A background without transparency keeps an opaque picture opaque. Nothing of it is left in the end.
    let background: ColorValue = bitmap.isOpaque ? .black : .clear
    let turned = try Rotate(degrees: degrees, background: background).process(bitmap, context: context)
    let part = Self.part(of: bitmap.size, turnedBy: degrees)
    let rectangle = PixelRectangle(
      x: (turned.size.width - part.width) / 2, y: (turned.size.height - part.height) / 2, width: part.width,
      height: part.height)
    return try Crop(.rectangle(rectangle)).process(turned, context: context)
  }

  /// The size of the part that is kept, at least one pixel.
  ///
  /// A rectangle of the picture's proportions, made smaller by a factor and turned back, must lie within the picture: its
  /// bounding box is not larger than that.
  package static func part(of size: PixelSize, turnedBy degrees: Double) -> PixelSize {
    let radians = abs(degrees) * .pi / 180
    let (across, down) = (cos(radians), sin(radians))
    let (width, height) = (Double(size.width), Double(size.height))
    let factor = min(width / (width * across + height * down), height / (width * down + height * across))
    // The edge of the turned picture is half transparent: a pixel on each side is left out.
    func side(_ length: Double) -> Int { max(Int(clamping: (length * factor).rounded(.down)) - 2, 1) }
    return PixelSize(side(width), side(height))
  }
}
