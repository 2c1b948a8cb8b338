import OzuBase

/// How many samples of a picture's planes are averaged into one while they are decoded, in a plan that resamples
/// planes.
///
/// Beside `PlaneReduction`, this is the other way to avoid having all pixels in memory: for decoders that must
/// decode all samples, but do not need to keep them or convert them to colours.
package struct PlaneAveraging: Hashable, Sendable {
  /// The samples of luma, or of each colour, that become one.
  package let luma: RowAverager.Step
  /// The samples of chroma that become one.
  package let chroma: RowAverager.Step

  /// How many times the result must fit into the picture on each side. Below, chroma would have to be enlarged, and
  /// little time would be saved.
  static let leastRatio = 2.0

  /// Chooses the steps; `nil` if decoding to pixels is better, and for a decoder that makes planes from frequencies
  /// (`PlaneReduction`). `nearest` takes pixels as they are shown: chroma has fewer samples than there are pixels.
  ///
  /// - Parameters:
  ///   - region: the region of the stored picture that is shown.
  ///   - output: the size at which it is shown.
  init?(layout: PlaneLayout, region: PixelRegion, output: PixelSize, kernel: ResamplingKernel) {
    let ratio = min(region.width / Double(output.width), region.height / Double(output.height))
    guard layout.source != .frequencies, kernel != .nearest, ratio >= Self.leastRatio else { return nil }
    luma = RowAverager.Step(region: region, output: output, kernel: kernel)
    let chromaStep = layout.chromaStep ?? .init(horizontal: 1, vertical: 1)
    let chromaRegion = region.scaled(
      horizontal: 1 / Double(chromaStep.horizontal), vertical: 1 / Double(chromaStep.vertical))
    chroma = RowAverager.Step(region: chromaRegion, output: output, kernel: kernel)
    // Four planes have two bytes for each sample, so they are smaller than pixels only if at least four pixels
    // become one.
    if layout.source == .rows, luma.columns * luma.rows < 4 { return nil }
  }

  /// The estimated size of the planes of a picture of `size` while it is decoded, in bytes.
  func byteCount(of size: PixelSize, layout: PlaneLayout) -> Int {
    let pixels = Double(size.width) * Double(size.height)
    let chromaShare = layout.chromaStep.map { 2.0 / Double($0.horizontal * $0.vertical) } ?? 0
    var bytes = 2 * pixels / Double(luma.columns * luma.rows)
    bytes += 2 * pixels * chromaShare / Double(chroma.columns * chroma.rows)
    switch layout.source {
    case .frequencies: break
    case .wholePlanes(let bytesPerPixel): bytes += pixels * Double(bytesPerPixel)
    case .rows: bytes *= 4
    }
    return Int(clamping: bytes)
  }
}
