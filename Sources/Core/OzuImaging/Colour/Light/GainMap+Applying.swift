import OzuBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

extension GainMap {
  /// Applies the gain map for a display with this headroom. The result is `rgba16` under PQ with white at 203
  /// candelas per square metre (BT.2408) and the primaries of sRGB: H.273 1/16.
  ///
  /// - Parameters:
  ///   - base: the picture in sRGB.
  ///   - map: the bitmap of the gain map, as stored, with the size of the picture.
  ///   - headroom: how many times brighter than white the display can be.
  /// - Returns: the picture, and its light levels by CTA-861.3: the maximum and the mean of the greatest component
  ///   of each pixel, in candelas, rounded up.
  /// - Complexity: O(pixels).
  func apply(
    to base: Bitmap, _ map: Bitmap, headroom: Double, pool: PixelBufferPool
  ) -> (picture: Bitmap, levels: LightLevels) {
    precondition(base.size == map.size, "a map of the size of its picture")
    let weight = weight(headroom: headroom)
    // One or three: `flaw` was asked.
    let numbers = (0..<3).map { channels[$0 % channels.count] }
    // Indexed by the value of the map: 256 gains.
    let gains = numbers.map { channel in
      (0..<256).map { exp2(stops(Double($0) / 255, channel) * weight) }
    }
    let most = min(headroom * ToneMapping.white, PerceptualQuantizer.peak)
    var (peak, sum) = (0.0, 0.0)
    let picture = Bitmap(
      size: base.size, format: .rgba16, isOpaque: base.isOpaque,
      colorSpace: .coded(primaries: 1, transfer: HighDynamicRange.Transfer.perceptualQuantizer.rawValue),
      pool: pool
    ) { target, targetBytesPerRow in
      base.withUnsafeBytes { pixels in
        map.withUnsafeBytes { values in
          for y in 0..<base.size.height {
            // Rows lie inside the bytes of their bitmaps, which have one size.
            let from = UnsafeRawBufferPointer(rebasing: pixels[(y * base.bytesPerRow)...])
            let by = UnsafeRawBufferPointer(rebasing: values[(y * map.bytesPerRow)...])
            let to = UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...])
            for x in 0..<base.size.width {
              let pixel = from.words(x, base.format)
              let value = by.words(x, map.format)
              guard pixel.w > 0 else {
                to.store(.zero, x, .rgba16)
                continue
              }
              let alpha = Double(pixel.w)
              var result = SIMD4<UInt32>(0, 0, 0, pixel.w)
              var greatest = 0.0
              for index in 0..<3 {
                let number = numbers[index]
                let light = SRGBCurve.light(min(Double(pixel[index]) / alpha, 1))
                let brighter =
                  (light + number.baseOffset) * gains[index][Int(value[index] >> 8)] - number.alternateOffset
                let shown = min(max(weight > 0 ? brighter : light, 0) * ToneMapping.white, most)
                greatest = max(greatest, shown)
                result[index] = UInt32(PerceptualQuantizer.value(shown) * alpha + 0.5)
              }
              peak = max(peak, greatest)
              sum += greatest
              to.store(result, x, .rgba16)
            }
          }
        }
      }
    }
    // A level of 0 would mean "unknown".
    func candelas(_ light: Double) -> Double { max(light.rounded(.up), 1) }
    let levels = LightLevels(
      maximumContent: candelas(peak), maximumAverage: candelas(sum / Double(max(base.size.pixelCount, 1))))
    return (picture, levels)
  }
}

extension CodecRegistry {
  /// The picture brightened for the headroom of the context, if its file has a gain map that can be used; else the
  /// picture as it is, with a note that says why.
  ///
  /// - Parameter header: receives the light levels of the brightened picture.
  func brightened(
    _ bitmap: Bitmap, _ data: Data, plan: DecodePlan, header: inout ImageHeader, context: DecodingContext,
    notes: inout [String]
  ) throws(ImageDecodingError) -> Bitmap {
    guard let headroom = context.headroom, let gainMap = header.gainMap else { return bitmap }
    guard bitmap.colorSpace == .sRGB, context.colorPolicy == .convertToSRGB else {
      notes.append("the gain map is not applied to colours that are kept")
      return bitmap
    }
    do throws(ImageDecodingError) {
      // In memory beside the map: the picture, and the copy of the map at its size.
      let price = plan.byteCount.saturatingSum(plan.outputSize.bitmapByteCount(as: .rgba16))
        .saturatingSum(plan.outputSize.bitmapByteCount(as: .bgra8))
      let map = try self.map(gainMap, in: data, header, besides: price, context)
      let (width, height) = (Double(header.storedSize.width), Double(header.storedSize.height))
      let region = plan.sourceRegion.scaled(
        horizontal: Double(map.size.width) / width, vertical: Double(map.size.height) / height)
      let fitting = Resampler(kernel: .bilinear).resample(
        map, region: region, to: plan.outputSize, pool: context.pool)
      notes.append("its gain map was applied for a headroom of \(headroom)")
      let brighter = gainMap.apply(to: bitmap, fitting, headroom: headroom, pool: context.pool)
      header.lightLevels = brighter.levels
      return brighter.picture
    } catch {
      if error == .cancelled { throw error }
      notes.append("its gain map cannot be used: \(error)")
      return bitmap
    }
  }

  /// The values of a gain map, as stored.
  ///
  /// - Parameter byteCount: the bytes that are in memory beside the map.
  /// - Throws: `corrupt` if the map is not the one that the header describes.
  func map(
    _ gainMap: GainMap, in data: Data, _ header: ImageHeader, besides byteCount: Int,
    _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    var bytes = Data(data.dropFirst(gainMap.bytes.lowerBound).prefix(gainMap.bytes.count))
    guard bytes.count == gainMap.bytes.count else { throw .truncated(header.type, stage: "gain map") }
    for edit in gainMap.edits where edit.offset >= 0 && edit.offset <= bytes.count - edit.bytes.count {
      bytes.replaceSubrange(edit.offset..<edit.offset + edit.bytes.count, with: edit.bytes)
    }
    // The gain map of this file is ignored, so nested maps end here.
    let file = try open(bytes, limits: context.limits)
    try context.limits.check(file.header)
    guard file.header.storedSize == gainMap.size else {
      throw .corrupt(header.type, stage: "gain map", reason: "it has another size")
    }
    let whole = DecodePlan(of: file, resize: nil, context: context.inWorkingFormat())
    let price = byteCount.saturatingSum(whole.byteCount)
    try context.limits.checkDecodedByteCount(price)
    try context.reserve(atLeast: price)
    return try file.decoded(whole, context: context.inWorkingFormat())
  }
}
