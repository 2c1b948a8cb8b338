import OzuImaging

/// The geometry of a JPEG for the reduced decoder: what its header says, counted out in blocks.
///
/// All loops of the decoder end at numbers from here, and all planes are made for them.
package struct ReducedJPEGFrame {
  package struct Component {
    package var identifier: UInt8
    package var quantizationSlot: Int
    /// Blocks side by side in a group of blocks.
    package var horizontalBlocks: Int
    /// Blocks above each other in a group.
    package var verticalBlocks: Int
    /// Blocks of a row that hold pixels, which is what a scan of this component alone has.
    package var ownColumns: Int
    package var ownRows: Int
    /// How far the picture reaches, in whole samples of the component and fractions.
    package var extentWidth: Double
    package var extentHeight: Double
  }

  /// The most blocks of a group (ITU-T T.81 §B.2.3). `EntropySource` counts on it.
  package static let largestGroup = 10

  package let isProgressive: Bool
  package let components: [Component]
  /// Groups of blocks of all components, in a row and in a column.
  package let groupColumns: Int
  package private(set) var groupRows: Int

  /// Counts a frame out; `nil` for one that the reduced decoder leaves to libjpeg: arithmetic or lossless
  /// coding, other than 8 bits, other colours than grey and YCbCr, several sequential scans, chroma that is
  /// finer than luma or of two kinds.
  package init?(_ header: JPEGHeader) {
    guard header.unsupportedReason == nil, !header.isArithmeticCoded, Self.isGrayOrYCbCr(header),
      header.isProgressive || !header.hasSeveralScans
    else { return nil }
    isProgressive = header.isProgressive
    let parts = header.components
    let isAlone = parts.count == 1
    // A picture of one component has groups of one block, whatever its sampling factors say.
    let horizontal = isAlone ? 1 : parts[0].horizontalSampling
    let vertical = isAlone ? 1 : parts[0].verticalSampling
    guard Set(parts.map(\.identifier)).count == parts.count else { return nil }
    var blockCount = 0
    var components: [Component] = []
    let size = header.size
    for (index, part) in parts.enumerated() {
      let h = isAlone ? 1 : part.horizontalSampling
      let v = isAlone ? 1 : part.verticalSampling
      guard h <= horizontal, v <= vertical, horizontal % h == 0, vertical % v == 0,
        index < 2 || (h == parts[1].horizontalSampling && v == parts[1].verticalSampling)
      else { return nil }
      blockCount += h * v
      let stepX = horizontal / h
      let stepY = vertical / v
      components.append(
        Component(
          identifier: part.identifier, quantizationSlot: part.quantizationSlot, horizontalBlocks: h,
          verticalBlocks: v, ownColumns: ((size.width + stepX - 1) / stepX + 7) / 8,
          ownRows: ((size.height + stepY - 1) / stepY + 7) / 8,
          extentWidth: Double(size.width) / Double(stepX), extentHeight: Double(size.height) / Double(stepY)))
    }
    guard blockCount <= Self.largestGroup else { return nil }
    self.components = components
    groupColumns = (size.width + 8 * horizontal - 1) / (8 * horizontal)
    groupRows = (size.height + 8 * vertical - 1) / (8 * vertical)
  }

  /// The squares between which the file can be cut (`JPEGExcerpt`); `nil` for one that comes in several passes.
  package var regionUnit: PixelSize? {
    // Luma has the most blocks of a group.
    isProgressive ? nil : PixelSize(8 * components[0].horizontalBlocks, 8 * components[0].verticalBlocks)
  }

  /// How the planes lie, for the plan.
  package var planeLayout: PlaneLayout {
    let stripRows = isProgressive ? nil : 8 * components[0].verticalBlocks
    guard components.count == 3 else { return PlaneLayout(chromaStep: nil, stripRows: stripRows) }
    return PlaneLayout(
      chromaStep: PlaneLayout.ChromaStep(
        horizontal: components[0].horizontalBlocks / components[1].horizontalBlocks,
        vertical: components[0].verticalBlocks / components[1].verticalBlocks),
      stripRows: stripRows)
  }

  /// The same with more rows of groups below the picture.
  func extended(byGroupRows count: Int) -> Self {
    var copy = self
    copy.groupRows += count
    return copy
  }

  /// A plane for a component, with room for whole groups of blocks.
  ///
  /// - Parameter isZero: whether all samples are 0. Otherwise their owner sets them before others read them.
  package func plane(
    _ index: Int, scale: Int, isZero: Bool = true, pool: PixelBufferPool
  ) -> SamplePlane {
    let component = components[index]
    let factor = Double(scale) / 8
    return SamplePlane(
      columnCount: planeColumns(index, scale: scale),
      rowCount: groupRows * component.verticalBlocks * scale,
      extentWidth: component.extentWidth * factor, extentHeight: component.extentHeight * factor,
      lift: lift(index, scale: scale), isZero: isZero, pool: pool)
  }

  /// The rows of a component's plane that a row of groups makes.
  package func stripShape(_ index: Int, scale: Int) -> PlaneStrips.Shape {
    let component = components[index]
    let factor = Double(scale) / 8
    return PlaneStrips.Shape(
      columnCount: planeColumns(index, scale: scale), rowCount: component.verticalBlocks * scale,
      extentWidth: component.extentWidth * factor, extentHeight: component.extentHeight * factor,
      lift: lift(index, scale: scale))
  }

  /// The loss of detail by leaving out frequencies. With one frequency it is that of a mean; with two it is a quarter of that,
  /// by measurement; with more it is negligible. The loss by which a full decode enlarges coarse chroma is added.
  private func lift(_ index: Int, scale: Int) -> DetailLift {
    let lowest: DetailLift =
      switch scale {
      case 1: .mean(columns: 8, rows: 8)
      case 2: DetailLift(horizontal: 1.0 / 96, vertical: 1.0 / 96)
      default: .none
      }
    guard index > 0, let step = planeLayout.chromaStep else { return lowest }
    let samples = 8 / Double(scale)
    return lowest + .upsampling(step, samples: (columns: samples, rows: samples))
  }

  package func planeByteCount(_ index: Int, scale: Int) -> Int {
    SamplePlane.byteCount(
      columnCount: planeColumns(index, scale: scale),
      rowCount: groupRows * components[index].verticalBlocks * scale)
  }

  /// The samples of a row of a plane. Squares of 3 are transformed as vectors of 4, and those of 5 and 6 as vectors of 8; the
  /// last one is too.
  private func planeColumns(_ index: Int, scale: Int) -> Int {
    let surplus = scale == 3 ? 1 : 5...7 ~= scale ? 8 - scale : 0
    return groupColumns * components[index].horizontalBlocks * scale + surplus
  }

  /// The bytes that tell which coefficients of a component are zero.
  package func historyByteCount(_ index: Int) -> Int {
    blocks(of: index).pixelCount * MemoryLayout<UInt64>.stride
  }

  /// The blocks of a component, in whole groups, side by side and above each other.
  package func blocks(of index: Int) -> PixelSize {
    PixelSize(
      groupColumns * components[index].horizontalBlocks, groupRows * components[index].verticalBlocks)
  }

  /// Whether the components mean brightness and colour differences, by the rules that libjpeg goes by.
  private static func isGrayOrYCbCr(_ header: JPEGHeader) -> Bool {
    switch header.components.count {
    case 1: return true
    case 3:
      if header.hasJFIF { return true }
      if let transform = header.adobeTransform { return transform != 0 }
      return header.components.map(\.identifier) != Array("RGB".utf8)
    default: return false
    }
  }
}
