import CCodecs
import OzuBase
import OzuImaging

/// Writes a small JPEG at the cost of time: white overshoots at edges, coefficients are quantized by a trellis, and the scans are
/// those with the fewest bytes of a few.
///
/// The coefficients take 2 to 6 bytes for each pixel, as they do within libjpeg for every file with Huffman tables of its own.
final class JPEGCoefficients {
  /// libjpeg's message.
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
    else { throw Failure(message) }
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

extension JPEGCoefficients.Failure {
  fileprivate init(_ message: [CChar]) {
    self.init(
      message: String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
}
