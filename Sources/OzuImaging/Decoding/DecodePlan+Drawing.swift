#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

extension DecodePlan {
  /// Plans the decode of a picture or a drawing. A drawing is drawn at the size at which the recipe shows it, also
  /// larger than its own size, so only a crop is left for the resampler.
  package init(drawingOf header: ImageHeader, resize: Resize?, scales: [Int]) {
    guard header.isDrawing, var resize, resize.mode != .none else {
      self.init(header: header, resize: resize, scales: scales)
      return
    }
    resize.allowsUpscaling = true
    let geometry = ResizeGeometry(source: header.size, resize: resize)
    func side(_ whole: Int, _ shown: Double, _ output: Int) -> Int {
      max(1, Int((Double(whole) * Double(output) / shown).rounded()))
    }
    var drawn = header
    drawn.storedSize = PixelSize(
      side(header.storedSize.width, geometry.region.width, geometry.outputSize.width),
      side(header.storedSize.height, geometry.region.height, geometry.outputSize.height))
    self.init(header: drawn, resize: resize)
  }
}
