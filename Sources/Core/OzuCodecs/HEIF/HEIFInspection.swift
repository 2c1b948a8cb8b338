import OzuBase
import OzuImaging

/// Checks the values in a HEIF file that libheif 1.15 uses without checking them. It runs before the library sees
/// the file.
///
/// The library allocates the canvas of a grid or an overlay from its own size, and libde265 allocates by the
/// parameter set; both ignore the picture's `ispe`, which the limits are checked with. And if parts of an
/// overlay begin outside its canvas, the library writes them outside of the canvas's memory (found by mutation;
/// CVE-2024-41311 is in the same code). So all sizes must agree, and parts must begin inside.
///
/// If the library found a box that this reader misses, that box would not be checked. So this reader also searches
/// for the letters of both kinds: if they appear outside the entries that it has read, the file is refused.
package enum HEIFInspection {
  /// Coded pictures consist of blocks, so they are larger than the picture by up to one block on each side.
  private static let largestBlock = 64

  /// Checks a file.
  ///
  /// - Returns: the pixels of the largest picture in the file, the whole or a part.
  /// - Throws: `limitExceeded`, `corrupt` or `unsupportedType`.
  /// - Complexity: O(bytes of the boxes and of all coded units).
  package static func largestPixelCount(
    _ file: Span<UInt8>, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Int {
    let list = HEIFBoxList(file, in: 0..<file.count)
    try checkKinds(file, in: list.rest, found: [:])
    var largest = 0
    var effort = Effort(file)
    for box in list.boxes {
      switch box.name {
      case "mdat", "free", "skip": continue
      case "meta": largest = max(largest, try largestPixelCount(file, meta: box, limits: limits, &effort))
      default: try checkKinds(file, in: box.content, found: [:])
      }
    }
    return largest
  }

  private static func largestPixelCount(
    _ file: Span<UInt8>, meta box: HEIFBox, limits: DecodingLimits, _ effort: inout Effort
  ) throws(ImageDecodingError) -> Int {
    let boxes = HEIFBoxList(file, in: box.fullContent)
    let items = HEIFItems(file, meta: boxes)
    try checkKinds(file, in: boxes.rest, found: [:])
    for box in boxes.boxes where box.name != "idat" && box.name != "iprp" {
      let kinds = box.name == "iinf" ? items.items.map(\.kind) : []
      try checkKinds(
        file, in: box.content,
        found: kinds.reduce(into: [:]) { counts, kind in counts[kind, default: 0] += 1 })
    }
    var largest = 0
    for item in items.items {
      let declared = try declaredSize(file, items.properties(of: item.id))
      if let declared { largest = max(largest, declared.pixelCount) }
      switch item.kind {
      case .grid, .overlay:
        let canvas = try canvas(file, items, item, &effort)
        guard canvas == declared else { throw corrupt("it declares two sizes") }
        // The pixels of a picture that is decoded at once are checked with the plan.
        try limits.checkDeclared(ImageHeader(type: .heic, storedSize: canvas))
      case "hvc1":
        try checkCodedSize(file, items, item, declared, &effort)
      default: break
      }
    }
    return largest
  }

  /// Searches for the letters of a grid or an overlay outside the known entries.
  private static func checkKinds(
    _ file: Span<UInt8>, in range: Range<Int>, found: [BoxName: Int]
  ) throws(ImageDecodingError) {
    guard range.count >= 4 else { return }
    var grids = 0
    var overlays = 0
    var word = 0
    for position in range {
      word = (word << 8 | Int(file[position])) & 0xFFFF_FFFF
      if word == BoxName.grid.value { grids += 1 }
      if word == BoxName.overlay.value { overlays += 1 }
    }
    guard grids <= found[.grid] ?? 0, overlays <= found[.overlay] ?? 0 else {
      throw corrupt("an item outside the table of items")
    }
  }

  /// The size in `ispe` (ISO/IEC 23008-12 §6.5.3).
  private static func declaredSize(
    _ file: Span<UInt8>, _ properties: [HEIFBox]
  ) throws(ImageDecodingError) -> PixelSize? {
    var size: PixelSize?
    for property in properties where property.name == "ispe" {
      var reader = HEIFReader(property.fullContent)
      guard let width = reader.take(4, from: file), let height = reader.take(4, from: file) else { continue }
      let own = PixelSize(width: width, height: height)
      guard size == nil || size == own else { throw corrupt("it declares two sizes") }
      size = own
    }
    return size
  }

  /// The canvas of a grid or an overlay (§6.6.2.3 and §6.6.2.2).
  private static func canvas(
    _ file: Span<UInt8>, _ items: HEIFItems, _ item: HEIFItems.Item, _ effort: inout Effort
  ) throws(ImageDecodingError) -> PixelSize {
    guard case .parts(let parts) = items.location(of: item.id) else {
      throw corrupt("the description of a grid or an overlay is missing")
    }
    let bytes = ContiguousArray(try effort.copy(parts, of: file))
    let content = bytes.span
    let width = (content.byte(at: 1) ?? 0) & 1 == 1 ? 4 : 2
    var reader = HEIFReader(0..<content.count)
    // In a grid, rows and columns follow after version and flags; in an overlay, the colour.
    guard reader.skip(item.kind == .grid ? 4 : 10) != nil,
      let first = reader.take(width, from: content), let second = reader.take(width, from: content)
    else { throw corrupt("the description of a grid or an overlay is truncated") }
    let size = PixelSize(width: first, height: second)
    guard item.kind == .overlay else { return size }
    while let x = reader.take(width, from: content), let y = reader.take(width, from: content) {
      // Negative positions are numbers in the upper half of the range, and so larger than any side.
      guard x < size.width, y < size.height else {
        throw .unsupportedType(.heic, reason: "a picture of its overlay begins outside the canvas")
      }
    }
    return size
  }

  /// Compares the sizes in an item's parameter sets, in its properties and in its units, with the size of the item.
  private static func checkCodedSize(
    _ file: Span<UInt8>, _ items: HEIFItems, _ item: HEIFItems.Item, _ declared: PixelSize?,
    _ effort: inout Effort
  ) throws(ImageDecodingError) {
    guard let declared else { throw corrupt("a picture has no size") }
    let allowed = PixelSize(
      width: declared.width.saturatingSum(largestBlock), height: declared.height.saturatingSum(largestBlock)
    ).pixelCount
    for property in items.properties(of: item.id) where property.name == "hvcC" {
      var reader = HEIFReader(property.content)
      guard reader.skip(22) != nil, let arrays = reader.take(1, from: file) else { continue }
      for _ in 0..<arrays {
        guard reader.skip(1) != nil, let units = reader.take(2, from: file) else { break }
        for _ in 0..<units {
          guard let length = reader.take(2, from: file), let unit = reader.skip(length) else { break }
          try check(unit, of: file, allowed: allowed, &effort)
        }
      }
    }
    switch items.location(of: item.id) {
    case .absent, .beyond: break
    // The library may find units in a place that this reader cannot read.
    case .invalid: throw corrupt("the place of a picture cannot be read")
    case .parts(let parts) where parts.count == 1:
      try checkUnits(of: file, in: parts[0], allowed: allowed, &effort)
    case .parts(let parts):
      let bytes = ContiguousArray(try effort.copy(parts, of: file))
      try checkUnits(of: bytes.span, in: 0..<bytes.count, allowed: allowed, &effort)
    }
  }

  /// Checks the units of an item, each after its length of four bytes, as the library reads them.
  private static func checkUnits(
    of bytes: Span<UInt8>, in range: Range<Int>, allowed: Int, _ effort: inout Effort
  ) throws(ImageDecodingError) {
    var reader = HEIFReader(range)
    while let length = reader.take(4, from: bytes), let unit = reader.skip(length) {
      try check(unit, of: bytes, allowed: allowed, &effort)
    }
  }

  private static func check(
    _ unit: Range<Int>, of bytes: Span<UInt8>, allowed: Int, _ effort: inout Effort
  ) throws(ImageDecodingError) {
    try effort.spend(1)
    guard HEVCParameterSet.isOne(bytes, at: unit) else { return }
    guard let pixelCount = HEVCParameterSet.pixelCount(bytes, at: unit) else {
      throw corrupt("a parameter set cannot be read")
    }
    guard pixelCount <= allowed else { throw corrupt("it declares two sizes") }
  }

  /// Bounds time and copies: items may share their bytes, and a file of a megabyte could take hours.
  private struct Effort {
    private var left: Int

    init(_ file: Span<UInt8>) { left = 4 * file.count + (1 << 16) }

    mutating func spend(_ amount: Int) throws(ImageDecodingError) {
      left -= amount
      guard left >= 0 else { throw corrupt("too many items share their bytes") }
    }

    mutating func copy(_ parts: [Range<Int>], of file: Span<UInt8>) throws(ImageDecodingError) -> [UInt8] {
      try spend(parts.reduce(0) { $0 + $1.count })
      var bytes: [UInt8] = []
      for part in parts { bytes += file.copy(from: part.lowerBound, byteCount: part.count) }
      return bytes
    }
  }

  private static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.heic, stage: "header", reason: reason)
  }
}

extension BoxName {
  fileprivate static let grid: BoxName = "grid"
  fileprivate static let overlay: BoxName = "iovl"
}

/// The size of the pictures in a sequence parameter set of HEVC (ITU-T H.265 §7.3.2.2). A decoder allocates this
/// size, whatever the file around it declares.
enum HEVCParameterSet {
  /// The unit type of a sequence parameter set.
  private static let kind = 33
  /// Profiles and levels of seven layers take fewer bytes before the size.
  private static let longestPrefix = 256

  /// Whether a unit of the network abstraction layer is a sequence parameter set.
  static func isOne(_ file: Span<UInt8>, at unit: Range<Int>) -> Bool {
    guard !unit.isEmpty, let first = file.byte(at: unit.lowerBound) else { return false }
    return Int(first >> 1) & 63 == kind
  }

  /// The number of pixels of the coded picture; `nil` if the unit cannot be read.
  static func pixelCount(_ file: Span<UInt8>, at unit: Range<Int>) -> Int? {
    var bits = Bits(payload(file, unit))
    // The header of the unit, and the number of another parameter set.
    guard bits.skip(16 + 4), let layers = bits.take(3), bits.skip(1) else { return nil }
    // The profile and level of all layers, then those of each layer that has its own.
    guard bits.skip(88 + 8) else { return nil }
    var present = 0
    for _ in 0..<layers {
      guard let flags = bits.take(2) else { return nil }
      present += (flags >> 1) * 88 + (flags & 1) * 8
    }
    guard bits.skip(layers > 0 ? (8 - layers) * 2 : 0), bits.skip(present), bits.takeExponential() != nil,
      let chroma = bits.takeExponential(), chroma != 3 || bits.skip(1),
      let width = bits.takeExponential(), let height = bits.takeExponential()
    else { return nil }
    return width.saturatingProduct(height)
  }

  /// The first bytes of a unit, without the emulation prevention bytes (§7.4.2).
  private static func payload(_ file: Span<UInt8>, _ unit: Range<Int>) -> [UInt8] {
    var payload: [UInt8] = []
    var zeros = 0
    for byte in file.copy(from: unit.lowerBound, byteCount: min(unit.count, 2 * longestPrefix)) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    return payload
  }

  private struct Bits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
      guard count <= bytes.count * 8 - position else { return false }
      position += count
      return true
    }

    mutating func take(_ count: Int) -> Int? {
      guard count <= bytes.count * 8 - position else { return nil }
      var value = 0
      for _ in 0..<count {
        value = value << 1 | Int(bytes[position >> 3] >> UInt8(7 - position & 7)) & 1
        position += 1
      }
      return value
    }

    /// An unsigned number in Exp-Golomb code (§9.2), of at most 32 bits.
    mutating func takeExponential() -> Int? {
      var zeros = 0
      while true {
        guard let bit = take(1) else { return nil }
        if bit == 1 { break }
        zeros += 1
        guard zeros <= 32 else { return nil }
      }
      return take(zeros).map { (1 << zeros) - 1 + $0 }
    }
  }
}
