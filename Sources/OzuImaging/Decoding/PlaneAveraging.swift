/// How many samples of a picture's planes are averaged into one while they are decoded, when they go to the
/// resampler as planes.
///
/// The other way besides `PlaneReduction` to never have all pixels: for decoders that must decode all samples, but
/// need not keep them or make colours of them.
public struct PlaneAveraging: Hashable, Sendable {
  /// The samples of luma, or of each colour, that become one.
  public let luma: RowAverager.Step
  /// The samples of chroma that become one.
  public let chroma: RowAverager.Step

  /// How often the result must fit into the picture on each side. Below, chroma would have to be enlarged, and what
  /// there is to win is little.
  static let leastRatio = 2.0
  /// The samples that must be left for one of the result. Fewer, and the means show.
  static let headroom = 2.5

  /// Chooses the steps; `nil` when pixels are the better way.
  ///
  /// - Parameters:
  ///   - eighths: at which the planes are decoded.
  ///   - region: the area of the stored picture that is shown.
  ///   - output: the size at which it is shown.
  init?(layout: PlaneLayout, eighths: Int, region: PixelRegion, output: PixelSize) {
    let decoded = Double(eighths) / 8
    let horizontal = region.width * decoded / Double(output.width)
    let vertical = region.height * decoded / Double(output.height)
    guard min(horizontal, vertical) >= Self.leastRatio else { return nil }
    func step(_ ratio: Double) -> Int {
      min(max(1, Int(ratio / Self.headroom)), RowAverager.longestStep)
    }
    luma = RowAverager.Step(columns: step(horizontal), rows: step(vertical))
    let chromaStep = layout.chromaStep ?? .init(horizontal: 1, vertical: 1)
    chroma = RowAverager.Step(
      columns: step(horizontal / Double(chromaStep.horizontal)),
      rows: step(vertical / Double(chromaStep.vertical)))
    // Two bytes for each sample of four planes: only from four pixels a mean on is that less than pixels.
    if layout.source == .rows, luma.columns * luma.rows < 4 { return nil }
  }

  /// About the bytes that the planes take while a picture of `size` is decoded.
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
