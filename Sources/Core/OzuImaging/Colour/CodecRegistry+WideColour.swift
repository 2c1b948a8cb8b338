#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether colours are converted to sRGB before or after pixels are rounded to 8 bits.
///
/// Usually the conversion is the last step, in 8 bits and at the size of the result. A picture in linear light, or
/// with a transfer function that is as steep, has its shadows in the first few of 256 values. If its file has more
/// than 8 bits, all bits are converted first, and then resampled as sRGB.
enum WideConversion: Sendable {
  /// The conversion comes last. Nothing is lost.
  case notNeeded
  /// The conversion comes first.
  case first
  /// The conversion comes last, but in all bits, which the resampler keeps. For PQ and HLG: 256 values are too few
  /// for them, and they are resampled as stored.
  case lastInAllBits
  /// The conversion comes last, because the limits do not allow the memory for 16 bits.
  case tooLarge
}

extension CodecRegistry {
  /// How colours are converted for a picture that is asked for in 8 bits. For a conversion in 16 bits, it sets
  /// the plan's `byteCount` to the memory that the conversion takes.
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

  /// The same for PQ and HLG. If pixels are resampled in linear light, they are converted first: linear light means the
  /// light of the display.
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

  /// Decodes in 16 bits, converts, and resamples to a bitmap of 8 bits.
  func renderWide(
    _ file: any ImageFile, plan: DecodePlan, context: DecodingContext, notes: inout [String]
  ) throws(ImageDecodingError) -> Bitmap {
    let whole = try convertWide(file, plan: plan, context: context, notes: &notes)
      .converted(to: .bgra8, pool: context.pool)
    try context.checkpoint()
    guard !plan.needsNoResampling else { return whole }
    return try plan.resampler.resample(
      whole, region: plan.region, to: plan.outputSize, pool: context.pool
    ) { () throws(ImageDecodingError) in try context.checkpoint() }
  }

  /// Decodes and converts. It is a function of its own so that the decoded bitmap is freed when it returns.
  private func convertWide(
    _ file: any ImageFile, plan: DecodePlan, context: DecodingContext, notes: inout [String]
  ) throws(ImageDecodingError) -> Bitmap {
    let stored = try file.decoded(plan, context: context.inStoredFormat())
    try context.checkpoint()
    context.begin(.resize)
    return converted(stored, header: file.header, context: context, notes: &notes)
  }
}
