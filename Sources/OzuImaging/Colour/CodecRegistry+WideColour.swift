#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Conversion to sRGB before pixels are cut to 8 bits.
///
/// Mostly colours are converted last, in 8 bits and at the size of the result. A picture in linear light, or under
/// another curve that is as steep, has its shadows in the first few of 256 values; where its file has more bits, all
/// of them are converted, and resampled as sRGB.
enum WideConversion: Sendable {
  /// Colours are converted last: that loses nothing.
  case notNeeded
  /// Colours are converted first.
  case first
  /// They are converted last, but in all bits, which the resampler keeps: PQ and HLG, in which 256 values are too few, and
  /// which are resampled as they are stored.
  case lastInAllBits
  /// They are converted last, since memory for 16 bits is not allowed.
  case tooLarge
}

extension CodecRegistry {
  /// How the colours of a picture that is asked for in 8 bits are converted. Where that is done in 16 bits, the plan gets
  /// the price of it.
  func wideConversion(
    _ file: any ImageFile, _ plan: inout DecodePlan, _ context: DecodingContext
  ) -> WideConversion {
    let header = file.header
    if context.colorPolicy.converts(header), HighDynamicRange(header.colorEncoding) != nil {
      return rangeConversion(file, &plan, context)
    }
    guard context.colorPolicy.converts(header), header.pixelFormat(under: .asStored) == .rgba16,
      let encoding = header.colorEncoding, let colorConverter,
      colorConverter.needsWidePixels(for: encoding, colorModel: header.colorModel)
    else { return .notNeeded }
    let pixels = plan.throughPixels
    let byteCount = pixels.widePeakByteCount(
      header, context, demand: file.demand(of: pixels, context: context.inStoredFormat()))
    guard byteCount <= context.limits.decodedByteCount else { return .tooLarge }
    plan.byteCount = max(plan.byteCount, byteCount)
    return .first
  }

  /// The same for PQ and HLG. Linear light is that of the display, so that they are converted first for it.
  private func rangeConversion(
    _ file: any ImageFile, _ plan: inout DecodePlan, _ context: DecodingContext
  ) -> WideConversion {
    let wide = context.inStoredFormat()
    if plan.light == .linear, !plan.needsNoResampling {
      let pixels = plan.throughPixels
      let byteCount = pixels.widePeakByteCount(
        file.header, context, demand: file.demand(of: pixels, context: wide))
      guard byteCount <= context.limits.decodedByteCount else { return .tooLarge }
      plan.byteCount = max(plan.byteCount, byteCount)
      return .first
    }
    guard file.header.pixelFormat(under: .asStored) == .rgba16 else { return .notNeeded }
    let byteCount = plan.price(for: file, wide)
    guard byteCount <= context.limits.decodedByteCount else { return .tooLarge }
    plan.byteCount = byteCount
    return .lastInAllBits
  }

  /// Decodes in 16 bits, converts, and resamples; a bitmap of 8 bits.
  func renderWide(
    _ file: any ImageFile, plan: DecodePlan, context: DecodingContext, notes: inout [String]
  ) throws(DecodingError) -> Bitmap {
    let whole = try convertWide(file, plan: plan, context: context, notes: &notes)
      .converted(to: .bgra8, pool: context.pool)
    try context.checkpoint()
    guard !plan.needsNoResampling else { return whole }
    return try plan.resampler.resample(
      whole, region: plan.region, to: plan.outputSize, pool: context.pool
    ) { () throws(DecodingError) in try context.checkpoint() }
  }

  /// The picture as decoded, converted; in a function of its own, so that the former is gone when it returns.
  private func convertWide(
    _ file: any ImageFile, plan: DecodePlan, context: DecodingContext, notes: inout [String]
  ) throws(DecodingError) -> Bitmap {
    let stored = try file.decoded(plan, context: context.inStoredFormat())
    try context.checkpoint()
    context.begin(.resize)
    return converted(stored, header: file.header, context: context, notes: &notes)
  }
}
