/// Chooses the scans of a progressive file that are read for a reduced picture, and records the bits that they have brought.
///
/// A file has the upper bits of its coefficients in first scans, and one more bit in each later scan. The mean over a reduced
/// pixel hides the last bits, unless the quantization steps are large. So last bits are read only if they are visible. A scan of
/// last bits can be read only after all coefficients of its band were tracked, also those that are not kept
/// (`RefinementDecoding.swift`). A scan is tracked if lower bits of its coefficients will be read.
struct ProgressivePasses {
  /// The largest error of a coefficient without its last bits, for luma at one eighth. It was measured: with it SSIMULACRA2
  /// stays above 96, or has the value that it would have with all bits. At `s` eighths fewer samples are averaged, and the
  /// error may be an `s`th part.
  private static let unseenError = 18
  /// The same for chroma, whose last bits are a small part of a file.
  private static let unseenErrorOfChroma = 9
  /// The most eighths at which bits are left out. At more, four samples and fewer become a pixel, and every last bit is visible:
  /// without that of luma, photographs of quality 89 had 95.2 to 96.1 points at five eighths, and 96.9 to 97.6 with it.
  private static let largestScaleWithUnseen = 4

  private let scales: [Int]
  /// The lowest bit of each component that is read.
  private var lowestBits: [Int]
  private let isChosen: Bool
  /// For each component and coefficient the lowest bit that has been read.
  private var bits: [[Int]]
  /// The same for the rows of blocks from `row` on, if the data of a scan of the component ended there.
  private var cuts: [(row: Int, bits: [Int])?]
  /// For each component the coefficients that are tracked, as bits.
  private var tracked: [UInt64]

  /// - Parameters:
  ///   - scales: the eighths of each component.
  ///   - lowestBit: the lowest bit that is read; with `nil`, `choose` decides.
  init(scales: [Int], lowestBit: Int?) {
    self.scales = scales
    lowestBits = scales.map { _ in lowestBit ?? 0 }
    isChosen = lowestBit != nil
    bits = scales.map { _ in [Int](repeating: 0, count: 64) }
    cuts = scales.map { _ in nil }
    tracked = scales.map { _ in 0 }
  }

  /// Chooses the bits that are read.
  ///
  /// - Parameter quantization: the steps of a component in zigzag order, as far as they are known.
  mutating func choose(by quantization: (Int) -> [UInt8]?) {
    guard !isChosen else { return }
    for (index, scale) in scales.enumerated() {
      guard let steps = quantization(index) else { continue }
      // The lowest frequencies are the ones that are kept at most sizes.
      let step = (1...4).reduce(0) { $0 + Int(steps[$1]) }
      let isSmall = scale <= Self.largestScaleWithUnseen
      let unseen = isSmall ? (index == 0 ? Self.unseenError : Self.unseenErrorOfChroma) * 4 / scale : 0
      // Without the bits below the third a coefficient is up to three steps off, and so on.
      lowestBits[index] = (0..<13).last { ((1 << $0) - 1) * step <= unseen } ?? 0
    }
  }

  /// Whether a scan has coefficients that are kept, or is needed to read such a scan.
  func isWanted(_ header: JPEGScanHeader) -> Bool {
    if header.first == 0 || isTracked(header) { return true }
    return header.high == 0 && isKept(header)
  }

  /// Whether the nonzero coefficients of a scan are needed for a scan of last bits. The scan may be such a scan itself.
  func isTracked(_ header: JPEGScanHeader) -> Bool {
    guard header.first > 0 else { return false }
    let lowest = lowestBits[header.parts[0].component]
    return header.high == 0 ? header.low > lowest : header.low >= lowest && isKept(header)
  }

  private func isKept(_ header: JPEGScanHeader) -> Bool {
    header.first <= ReducedComponent.lastKept[scales[header.parts[0].component]]
  }

  /// Whether a scan continues where the earlier ones ended. libjpeg decodes files that break this rule.
  ///
  /// - Parameter known: the coefficients of its component that have been read, as bits.
  func isInOrder(_ header: JPEGScanHeader, known: UInt64) -> Bool {
    guard isTracked(header) else { return true }
    let part = header.parts[0].component
    let band = Refinement.set(header.first...header.last)
    guard header.high > 0 else { return known & band == 0 }
    return tracked[part] & band == band
      && bits[part][header.first...header.last].allSatisfy { $0 == header.high }
  }

  /// Notes a scan that was read.
  ///
  /// - Parameter end: the row of blocks where its data ended too early, if they did.
  mutating func note(_ header: JPEGScanHeader, end: Int?) {
    guard header.first > 0 else { return }
    let part = header.parts[0].component
    if let end, cuts[part] == nil { cuts[part] = (end, bits[part]) }
    for index in header.first...header.last {
      bits[part][index] = header.low
      if end == nil { cuts[part]?.bits[index] = header.low }
    }
    let band = Refinement.set(header.first...header.last)
    if isTracked(header) { tracked[part] |= band } else { tracked[part] &= ~band }
  }

  /// For some of the rows of blocks of a component each: the number of bits of each coefficient that were not read, in zigzag
  /// order.
  func missingBits(of component: Int, in rows: Range<Int>) -> [(rows: Range<Int>, bits: [Int])] {
    guard let cut = cuts[component] else { return [(rows, bits[component])] }
    let row = min(max(rows.lowerBound, cut.row), rows.upperBound)
    return [(rows.lowerBound..<row, bits[component]), (row..<rows.upperBound, cut.bits)]
  }

  /// Whether every bit of a component's coefficients is known, so that a block without coefficients is flat.
  func isWhole(_ component: Int) -> Bool {
    tracked[component] == Refinement.set(1...63) && bits[component][1...].allSatisfy { $0 == 0 }
  }
}
