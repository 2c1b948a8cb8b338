import CCodecs
import OzuImaging

extension LibrarySession {
  /// The layout of the planes; `nil` if the library makes pixels.
  var planeLayout: PlaneLayout? {
    guard info.has_planes else { return nil }
    let hasChroma = info.chroma_columns > 0 && info.chroma_rows > 0
    return PlaneLayout(
      chromaStep: hasChroma
        ? .init(horizontal: Int(info.chroma_columns), vertical: Int(info.chroma_rows)) : nil,
      source: .wholePlanes(bytesPerPixel: info.bits > 8 ? 6 : 3))
  }

  /// Decodes the picture and averages its planes. Returns `nil` if the file contradicts its header or decoding
  /// fails; the pixel path then reports the error.
  func planes(
    header: ImageHeader, averaging: PlaneAveraging, _ context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture? {
    let size = header.storedSize
    // With a header of another file, chroma would be read in places where this file has none.
    guard let layout = planeLayout, layout == header.planeLayout else { return nil }
    try context.checkpoint()
    var planes = OzuPicturePlanes()
    guard ozu_picture_planes(decoder, &planes) == .done,
      PixelSize(Int(planes.width), Int(planes.height)) == size,
      let encoding = Self.encoding(of: planes)
    else { return nil }
    try context.checkpoint()
    context.begin(.resize)
    let luma = Self.plane(
      planes.samples.0, planes.bytes_per_row.0, size: size, divisor: .init(horizontal: 1, vertical: 1),
      step: averaging.luma, encoding: encoding, pool: context.pool)
    guard let divisor = layout.chromaStep else {
      return luma.map { PlanarPicture(luma: $0, encoding: encoding) }
    }
    let blue = Self.plane(
      planes.samples.1, planes.bytes_per_row.1, size: size, divisor: divisor, step: averaging.chroma,
      encoding: encoding, pool: context.pool)
    let red = Self.plane(
      planes.samples.2, planes.bytes_per_row.2, size: size, divisor: divisor, step: averaging.chroma,
      encoding: encoding, pool: context.pool)
    guard let luma, let blue, let red else { return nil }
    return PlanarPicture(luma: luma, chroma: (blue, red), encoding: encoding)
  }

  private static func encoding(of planes: OzuPicturePlanes) -> YCbCrEncoding? {
    let matrices: [Int32: YCbCrEncoding.Matrix] = [1: .bt709, 2: .bt601, 5: .bt601, 6: .bt601, 9: .bt2020]
    guard let matrix = matrices[planes.matrix], 8...16 ~= planes.bits else { return nil }
    // libavif computes colours with libyuv, whose factors are as coarse.
    return YCbCrEncoding(
      matrix: matrix, isFullRange: planes.is_full_range, bits: Int(planes.bits), factorBits: 6)
  }

  /// Averages a plane of `size` divided by `divisor`, rounded up. The library guarantees these rows and samples.
  private static func plane(
    _ samples: UnsafePointer<UInt8>?, _ bytesPerRow: Int, size: PixelSize, divisor: PlaneLayout.ChromaStep,
    step: RowAverager.Step, encoding: YCbCrEncoding, pool: PixelBufferPool
  ) -> SamplePlane? {
    let width = (size.width + divisor.horizontal - 1) / divisor.horizontal
    let height = (size.height + divisor.vertical - 1) / divisor.vertical
    let isDeep = encoding.bits > 8
    guard let samples, bytesPerRow >= width * (isDeep ? 2 : 1) else { return nil }
    let averager = RowAverager(
      size: PixelSize(width, height), channels: 1, step: step,
      extentWidth: Double(size.width) / Double(divisor.horizontal),
      extentHeight: Double(size.height) / Double(divisor.vertical), white: encoding.white,
      upsampled: divisor, pool: pool)
    for y in 0..<height {
      let row = samples + y * bytesPerRow
      if isDeep {
        // libavif aligns rows of words.
        row.withMemoryRebound(to: UInt16.self, capacity: width) {
          averager.add(words: UnsafeBufferPointer(start: $0, count: width).span)
        }
      } else {
        averager.add(bytes: UnsafeBufferPointer(start: row, count: width).span)
      }
    }
    return averager.planes[0]
  }
}
