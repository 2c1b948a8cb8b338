import OzuImaging

/// The colours of a picture, as far as they decide how PNG stores it: whether all are grey, and which they are, if they
/// are few.
///
/// One pass over the pixels, which ends early: at the 257th colour if a colour is not grey, and after that at the first
/// colour that is not grey. In a photograph that is one of its first rows.
///
/// Unsafe pointers: a row of a bitmap has its width times the bytes of its format.
package struct PNGColors {
  /// Whether red, green and blue are equal in every pixel.
  package private(set) var isGray = true
  /// All colours; `nil` if they are more than 256, or have 16 bits.
  private var table: ColorTable?

  /// Looks at the pixels of a bitmap.
  ///
  /// - Parameter hasAlpha: whether the file keeps its alpha; otherwise all pixels count as opaque.
  /// - Complexity: O(pixels).
  package init(_ bitmap: Bitmap, hasAlpha: Bool) {
    table = bitmap.format == .rgba16 ? nil : ColorTable()
    bitmap.withUnsafeBytes { pixels in
      guard let start = pixels.baseAddress else { return }
      for y in 0..<bitmap.size.height where table != nil || isGray && bitmap.format != .gray8 {
        let row = start + y * bitmap.bytesPerRow
        switch bitmap.format {
        case .gray8: count(gray: row, bitmap.size.width)
        case .bgra8: count(row, bitmap.size.width, hasAlpha: hasAlpha)
        case .rgba16: count(wide: row, bitmap.size.width)
        }
      }
    }
  }

  private mutating func count(_ row: UnsafeRawPointer, _ width: Int, hasAlpha: Bool) {
    let words = row.assumingMemoryBound(to: UInt32.self)
    if isGray {
      var difference: UInt32 = 0
      for x in 0..<width {
        let word = UInt32(littleEndian: words[x])
        difference |= (word ^ word >> 8) & 0xFFFF
      }
      isGray = difference == 0
    }
    guard var table = takeTable() else { return }
    var previous: UInt32?
    for x in 0..<width where words[x] != previous {
      previous = words[x]
      guard table.insert(ColorTable.key(words[x], hasAlpha: hasAlpha)) else { return }
    }
    self.table = table
  }

  /// The table, which is put back if all colours of a row fit. Nobody else holds it meanwhile, so it is not copied.
  private mutating func takeTable() -> ColorTable? {
    defer { table = nil }
    return table
  }

  private mutating func count(gray row: UnsafeRawPointer, _ width: Int) {
    let values = row.assumingMemoryBound(to: UInt8.self)
    guard var table = takeTable() else { return }
    for x in 0..<width { _ = table.insert(UInt32(values[x]) * 0x01_0101) }
    // More have no palette that is smaller than the values themselves.
    if table.count <= 16 { self.table = table }
  }

  private mutating func count(wide row: UnsafeRawPointer, _ width: Int) {
    let values = row.assumingMemoryBound(to: UInt16.self)
    for x in 0..<width where isGray {
      isGray = values[x * 4] == values[x * 4 + 1] && values[x * 4] == values[x * 4 + 2]
    }
  }

  /// How many there are; `nil` if they are too many for a palette that is smaller than the pixels.
  var count: Int? { table?.count }

  /// The fewest bits that hold all grey values exactly: the values of fewer bits are spread over the range from black to
  /// white (third edition, §13.12). 8 if a pixel is not opaque.
  package var grayBitDepth: Int {
    guard isGray, let table else { return 8 }
    return [1, 2, 4].first { bits in
      let step = UInt32(255 / (1 << bits - 1))
      return table.colors.allSatisfy { $0 <= 0xFF_FFFF && ($0 & 0xFF) % step == 0 }
    } ?? 8
  }

  /// The palette; `nil` if the colours are too many for one.
  package var palette: PNGPalette? { table.map { PNGPalette($0.colors) } }
}

/// The palette of a picture whose colours are kept exactly, and the indices of its pixels.
package struct PNGPalette {
  private let table: ColorTable
  /// Four bytes for each colour, divided by alpha: blue, green, red, alpha.
  private let straight: [UInt8]

  /// Orders colours: first those with alpha, because alpha is stored up to the last one that is not opaque; then by
  /// brightness, so that similar colours have similar indices, which helps the filters.
  ///
  /// - Parameter keys: at most 256 keys of `ColorTable.key`, each once.
  init(_ keys: [UInt32]) {
    func rank(_ key: UInt32) -> (Int, UInt32, UInt32) {
      let (red, green, blue) = (key >> 16 & 0xFF, key >> 8 & 0xFF, key & 0xFF)
      let brightness = 299 * red + 587 * green + 114 * blue
      return (key >> 24 == 0 ? 1 : 0, brightness, key)
    }
    var table = ColorTable()
    for key in keys.sorted(by: { rank($0) < rank($1) }) { _ = table.insert(key) }
    self.table = table
    let words = table.colors.map { ($0 ^ 0xFF00_0000).littleEndian }
    straight = [UInt8](unsafeUninitializedCapacity: words.count * 4) { buffer, count in
      // As many pixels as there are words, in both.
      words.withUnsafeBytes { row in
        guard let from = row.baseAddress, let to = buffer.baseAddress else { return }
        Premultiplication.undo(from, to: to, width: words.count)
      }
      count = words.count * 4
    }
  }

  private var indices: Range<Int> { 0..<table.count }

  /// The bits of an index: 1, 2, 4 or 8.
  package var bitDepth: Int { [1, 2, 4].first { table.count <= 1 << $0 } ?? 8 }

  /// The content of PLTE: red, green and blue of each colour (third edition, §11.2.2).
  package var colors: [UInt8] {
    indices.flatMap { [straight[$0 * 4 + 2], straight[$0 * 4 + 1], straight[$0 * 4]] }
  }

  /// The content of tRNS: the alpha of each colour up to the last that is not opaque (§11.3.1.1); empty if all are.
  package var alphas: [UInt8] {
    let alphas = indices.map { straight[$0 * 4 + 3] }
    return Array(alphas.prefix { $0 != 255 })
  }

  /// Writes the index of each pixel of a row, in a byte each.
  ///
  /// - Parameters:
  ///   - row: `width` pixels of the bitmap whose colours these are.
  ///   - target: memory for `width` bytes.
  package func write(
    _ row: UnsafeRawPointer, _ format: PixelFormat, width: Int, hasAlpha: Bool,
    to target: UnsafeMutableRawPointer
  ) {
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    if format == .gray8 {
      let values = row.assumingMemoryBound(to: UInt8.self)
      for x in 0..<width { bytes[x] = table.index(of: UInt32(values[x]) * 0x01_0101) ?? 0 }
      return
    }
    let words = row.assumingMemoryBound(to: UInt32.self)
    var (previous, index): (UInt32?, UInt8) = (nil, 0)
    for x in 0..<width {
      if words[x] != previous {
        previous = words[x]
        index = table.index(of: ColorTable.key(words[x], hasAlpha: hasAlpha)) ?? 0
      }
      bytes[x] = index
    }
  }
}

/// Packs values of fewer than eight bits, the first one into the highest bits (third edition, §7.2).
package enum PNGPacking {
  /// Packs the high or the low bits of `width` bytes.
  ///
  /// - Parameters:
  ///   - shift: how far the value is from the lowest bit of its byte.
  ///   - target: memory for the packed row.
  package static func pack(
    _ values: UnsafeRawPointer, shift: Int = 0, bitDepth: Int, width: Int, to target: UnsafeMutableRawPointer
  ) {
    let source = values.assumingMemoryBound(to: UInt8.self)
    let bytes = target.assumingMemoryBound(to: UInt8.self)
    let count = 8 / bitDepth
    for start in stride(from: 0, to: width, by: count) {
      var byte: UInt8 = 0
      for place in 0..<min(count, width &- start) {
        byte |= (source[start &+ place] &>> UInt8(shift)) &<< UInt8(8 &- bitDepth &* (place &+ 1))
      }
      bytes[start / count] = byte
    }
  }
}

extension ColorTable {
  /// The key of a premultiplied pixel: 0 for opaque in the high byte, so that the keys of opaque colours are those of
  /// GIF; one for all pixels that are wholly transparent.
  static func key(_ word: UInt32, hasAlpha: Bool) -> UInt32 {
    let pixel = UInt32(littleEndian: word)
    guard hasAlpha else { return pixel & 0xFF_FFFF }
    return pixel >> 24 == 0 ? 0xFF00_0000 : pixel ^ 0xFF00_0000
  }
}
