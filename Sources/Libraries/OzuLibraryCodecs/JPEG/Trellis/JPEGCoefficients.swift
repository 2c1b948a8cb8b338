import CCodecs
import OzuBase
import OzuImaging

/// Writes a small JPEG at the cost of time: white overshoots at edges, coefficients are quantized by a trellis, and the scans are
/// those with the fewest bytes of a few.
///
/// The coefficients take 2 to 6 bytes for each pixel, as they do within libjpeg for every file with Huffman tables of its own.
final class JPEGCoefficients {
  struct Failure: Error {
    let message: String
  }

  /// How coefficients become integers.
  enum Quantization {
    /// To the nearest, equal to libjpeg's. For tests.
    case nearest
    /// So that error and bytes together are least.
    case trellis
  }

  /// One of so many rows of blocks is counted.
  private static let sampleDistance = 4

  private let coefficients: OpaquePointer
  private let components: [OzuJPEGComponent]

  /// Transforms and quantizes a bitmap of premultiplied BGRA, blended over white.
  init(
    _ bitmap: Bitmap, parameters: OzuJPEGParameters, quantization: Quantization = .trellis
  ) throws(Failure) {
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    var (parameters, message) = (parameters, [CChar](repeating: 0, count: 256))
    guard
      let coefficients = ozu_jpeg_coefficients_new(
        Int32(width), Int32(height), &parameters, &message, message.count)
    else { throw Failure(message: message.text) }
    self.coefficients = coefficients
    var strip = JPEGSampleStrip(width: width, height: height, parameters: parameters)
    components = (0..<strip.componentCount).map { ozu_jpeg_coefficients_component(coefficients, Int32($0)) }
    bitmap.withUnsafeBytes { pixels in
      guard let pixels = pixels.baseAddress else { return }
      for number in 0..<strip.count {
        strip.fill(number, from: pixels, bytesPerRow: bitmap.bytesPerRow, isOpaque: bitmap.isOpaque)
        for component in components.indices {
          for blockRow in 0..<strip.blockRowCount(component) {
            // Below the picture there are no blocks.
            let row = row(component, number * strip.blockRowCount(component) + blockRow)
            guard let row, let blocks = row.baseAddress else { continue }
            let step = quantization == .trellis ? components[component].steps.0 : nil
            strip.transform(
              component, blockRow: blockRow, overshoot: step, into: blocks, count: row.count / 64)
          }
        }
      }
    }
    for component in components.indices { quantize(component, quantization) }
  }

  deinit {
    ozu_jpeg_coefficients_free(coefficients)
  }

  /// The blocks of a row; nil below the component.
  private func row(_ component: Int, _ row: Int) -> UnsafeMutableBufferPointer<Int16>? {
    ozu_jpeg_coefficients_row(coefficients, Int32(component), Int32(row)).map {
      UnsafeMutableBufferPointer(start: $0, count: Int(components[component].across) * 64)
    }
  }

  /// Quantizes a component. The trellis knows the lengths of codes from a part of the rows: first as rounding makes them, then as
  /// the trellis does.
  private func quantize(_ component: Int, _ quantization: Quantization) {
    let rows = 0..<Int(components[component].down)
    let steps = withUnsafeBytes(of: components[component].steps) { Array($0.bindMemory(to: UInt16.self)) }
    var quantizer = TrellisQuantizer(steps: steps)
    func forEachRow(by distance: Int, _ body: (UnsafeMutableBufferPointer<Int16>) -> Void) {
      for y in stride(from: min(distance / 2, rows.count - 1), to: rows.count, by: distance) {
        if let row = row(component, y) { body(row) }
      }
    }
    if quantization == .nearest { return forEachRow(by: 1) { quantizer.round($0) } }
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: Int(components[component].across) * 64) {
      sample in
      var counts = JPEGSymbolCounts()
      forEachRow(by: Self.sampleDistance) { row in
        _ = sample.update(fromContentsOf: row)
        quantizer.round(sample)
        counts.add(UnsafeBufferPointer(sample))
      }
      let rounded = JPEGCodeLengths(counts)
      counts = JPEGSymbolCounts()
      forEachRow(by: Self.sampleDistance) { row in
        _ = sample.update(fromContentsOf: row)
        quantizer.quantize(sample, rounded)
        counts.add(UnsafeBufferPointer(sample))
      }
      let lengths = JPEGCodeLengths(counts)
      forEachRow(by: 1) { quantizer.quantize($0, lengths) }
    }
  }

  /// The file with the fewest bytes.
  func file() throws(Failure) -> Data {
    let search = try JPEGScanSearch(componentCount: components.count) { (script) throws(Failure) in
      try withFile(script) { JPEGScanSearch.sizes(of: $0) }
    }
    return try withFile(search.best) { Data($0) }
  }

  /// Writes the file by a script; the bytes are valid during the call.
  private func withFile<Result>(
    _ script: JPEGScanScript, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws(Failure) -> Result {
    var file = OzuBytes()
    let scans = script.scans
    guard ozu_jpeg_coefficients_write(coefficients, scans, Int32(scans.count), &file) == .done else {
      throw Failure(message: String(cString: ozu_jpeg_coefficients_message(coefficients)))
    }
    return body(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}

/// The scans of a progressive file (ITU-T T.81, G.1.1.1): the means of all components, and for each component the other
/// coefficients in one or two bands, with or without their lowest bit, which then comes in a scan of its own.
struct JPEGScanScript {
  struct Band {
    /// The last coefficient of the first band, in zigzag order; 63 if there is only one.
    var end: Int
    /// How many low bits come later.
    var low: Int
  }

  var bands: [Band]

  /// First the rough picture, then the rest.
  var scans: [OzuJPEGScan] {
    let means = OzuJPEGScan(
      first_component: 0, component_count: Int32(bands.count), start: 0, end: 0, bits_before: 0, bits_after: 0
    )
    var (first, second, refining): ([OzuJPEGScan], [OzuJPEGScan], [OzuJPEGScan]) = ([], [], [])
    for (component, band) in bands.enumerated() {
      func scan(_ range: ClosedRange<Int>, before: Int, after: Int) -> OzuJPEGScan {
        OzuJPEGScan(
          first_component: Int32(component), component_count: 1, start: Int32(range.lowerBound),
          end: Int32(range.upperBound), bits_before: Int32(before), bits_after: Int32(after))
      }
      first.append(scan(1...band.end, before: 0, after: band.low))
      if band.end < 63 { second.append(scan(band.end + 1...63, before: 0, after: band.low)) }
      for low in (0..<band.low).reversed() { refining.append(scan(1...63, before: low + 1, after: low)) }
    }
    return [means] + first + second + refining
  }
}

/// Finds the script with the fewest bytes among a few: files are written, and the bytes of their scans counted for each
/// component.
///
/// Of ten scripts these won, or lost by at most 0.7 % of a file, on five pictures at two qualities: more than one low bit apart,
/// a low bit of colour, and the means in two scans, never paid. Each costs the time of writing a file.
struct JPEGScanSearch {
  /// Writes a file, and returns the bytes of its scans.
  typealias Writing = (JPEGScanScript) throws(JPEGCoefficients.Failure) -> [Int]

  private(set) var best: JPEGScanScript
  private var costs: [Int]

  init(componentCount: Int, sizes: Writing) throws(JPEGCoefficients.Failure) {
    best = JPEGScanScript(
      bands: Array(repeating: JPEGScanScript.Band(end: 63, low: 0), count: componentCount))
    costs = Array(repeating: .max, count: componentCount)
    try consider(lumaEnd: 2, low: 0, chromaEnd: 63, sizes)
    try consider(lumaEnd: 2, low: 1, chromaEnd: 2, sizes)
    try consider(lumaEnd: 12, low: best.bands[0].low, chromaEnd: 12, sizes)
  }

  /// Keeps what is smaller by this script than before.
  private mutating func consider(
    lumaEnd: Int, low: Int, chromaEnd: Int, _ sizes: Writing
  ) throws(JPEGCoefficients.Failure) {
    var script = best
    for index in costs.indices {
      script.bands[index] = index == 0 ? .init(end: lumaEnd, low: low) : .init(end: chromaEnd, low: 0)
    }
    var own = [Int](repeating: 0, count: costs.count)
    for (scan, size) in zip(script.scans, try sizes(script)) where scan.start > 0 {
      own[Int(scan.first_component)] += size
    }
    for index in costs.indices where own[index] < costs[index] {
      (costs[index], best.bands[index]) = (own[index], script.bands[index])
    }
  }

  /// The bytes of each scan of a file, with the tables before it.
  static func sizes(of file: UnsafeBufferPointer<UInt8>) -> [Int] {
    var (sizes, start, index) = ([Int](), 0, 2)
    while index + 3 < file.count {
      let marker = file[index + 1]
      if marker == 0xD9 { break }
      index += 2 + Int(file[index + 2]) << 8 + Int(file[index + 3])
      guard marker == 0xDA else { continue }
      // Coded data end at a marker: within them 0 follows 0xFF.
      while index + 1 < file.count, file[index] != 0xFF || file[index + 1] == 0 { index += 1 }
      sizes.append(index - start)
      start = index
    }
    return sizes
  }
}
