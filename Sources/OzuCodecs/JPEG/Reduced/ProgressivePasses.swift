/// Which scans of a progressive file are read for a reduced picture, and what they have brought so far.
///
/// A file has the upper bits of its coefficients in first scans, and in each of the later ones one bit more. What the last
/// bits add is averaged away when the picture is reduced, unless the steps of the quantization are large: so they are read
/// as far as they show. A scan of last bits can only be read by who has tracked all coefficients of its band, also those
/// that are not kept (`RefinementDecoding.swift`): tracked scans are those that have bits below them that are wanted.
struct ProgressivePasses {
  /// How far off a coefficient may be for want of its last bits, for one eighth of luma: by measurement, with which SSIMULACRA2
  /// stays above 96, or where it would be with all bits. For `s` eighths, of which fewer are averaged, an `s`th part.
  private static let unseenError = 18
  /// The same for chroma, whose last bits are a small part of a file.
  private static let unseenErrorOfChroma = 9

  private let scales: [Int]
  /// The lowest bit of each component that is read.
  private var lowestBits: [Int]
  private let isChosen: Bool
  /// For each component and coefficient the lowest bit that scans have brought.
  private var bits: [[Int]]
  /// For each component the coefficients that are tracked, as bits.
  private var tracked: [UInt64]

  /// - Parameters:
  ///   - scales: the eighths of each component.
  ///   - lowestBit: the lowest bit that is read; `nil` for what `choose` says.
  init(scales: [Int], lowestBit: Int?) {
    self.scales = scales
    lowestBits = scales.map { _ in lowestBit ?? 0 }
    isChosen = lowestBit != nil
    bits = scales.map { _ in [Int](repeating: 0, count: 64) }
    tracked = scales.map { _ in 0 }
  }

  /// Chooses the bits that are read.
  ///
  /// - Parameter quantization: the steps of a component in zigzag order, as far as they are known.
  mutating func choose(by quantization: (Int) -> [UInt8]?) {
    guard !isChosen else { return }
    for (index, scale) in scales.enumerated() {
      guard let steps = quantization(index) else { continue }
      // The lowest frequencies are those that remain of most pictures.
      let step = (1...4).reduce(0) { $0 + Int(steps[$1]) }
      let unseen = (index == 0 ? Self.unseenError : Self.unseenErrorOfChroma) * 4 / scale
      // Without the bits below the third a coefficient is up to three steps off, and so on.
      lowestBits[index] = (0..<13).last { ((1 << $0) - 1) * step <= unseen } ?? 0
    }
  }

  /// Whether a scan has something that is kept, or has to be known for one that has.
  func isWanted(_ header: JPEGScanHeader) -> Bool {
    if header.first == 0 || isTracked(header) { return true }
    return header.high == 0 && isKept(header)
  }

  /// Whether the coefficients of a scan that are not zero have to be known for a scan of last bits, as which it may come itself.
  func isTracked(_ header: JPEGScanHeader) -> Bool {
    guard header.first > 0 else { return false }
    let lowest = lowestBits[header.parts[0].component]
    return header.high == 0 ? header.low > lowest : header.low >= lowest && isKept(header)
  }

  private func isKept(_ header: JPEGScanHeader) -> Bool {
    header.first <= ReducedComponent.lastKept[scales[header.parts[0].component]]
  }

  /// Whether a scan goes on where the ones before it ended. What breaks that rule, libjpeg has its own way with.
  ///
  /// - Parameter known: the coefficients of its component that scans have brought, as bits.
  func isInOrder(_ header: JPEGScanHeader, known: UInt64) -> Bool {
    guard isTracked(header) else { return true }
    let part = header.parts[0].component
    let band = Refinement.set(header.first...header.last)
    guard header.high > 0 else { return known & band == 0 }
    return tracked[part] & band == band
      && bits[part][header.first...header.last].allSatisfy { $0 == header.high }
  }

  /// Notes a scan that was read.
  mutating func note(_ header: JPEGScanHeader) {
    guard header.first > 0 else { return }
    let part = header.parts[0].component
    for index in header.first...header.last { bits[part][index] = header.low }
    let band = Refinement.set(header.first...header.last)
    if isTracked(header) { tracked[part] |= band } else { tracked[part] &= ~band }
  }

  /// Whether every bit of a component's coefficients is known, so that a block without any is even.
  func isWhole(_ component: Int) -> Bool {
    tracked[component] == Refinement.set(1...63) && bits[component][1...].allSatisfy { $0 == 0 }
  }
}
