#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CodecRegistry {
  /// Makes an upright picture from a file, decoded no larger than the recipe needs.
  ///
  /// Header, limits, plan, decode at the cheapest sufficient scale, resample, turn upright: the whole way
  /// from bytes to pixels, on the calling thread.
  ///
  /// - Parameters:
  ///   - data: the file.
  ///   - resize: the recipe; `nil` for the whole picture.
  ///   - context: limits, memory, cancellation.
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`.
  /// - Throws: `DecodingError`. Limits are checked before pixel memory is taken.
  public func picture(
    from data: Data, resize: Resize? = nil, context: DecodingContext = .init()
  ) throws(DecodingError) -> Picture {
    try context.limits.checkEncodedByteCount(data.count)
    let decoder = try decoder(for: data)
    if let picture = try decoder.makePicture(from: data, resize: resize, context: context) { return picture }
    let prepared = try prepare(data, decoder, resize: resize, context: context)
    do throws(DecodingError) {
      return try render(prepared, resize: resize, context: context)
    } catch {
      // The whole may be sound where a smaller rendition of it is not.
      guard prepared.isSmaller, error != .cancelled else { throw error }
      return try render(
        prepare(data, decoder, resize: resize, context: context, mayBeSmaller: false), resize: resize,
        context: context)
    }
  }

  /// Makes an upright picture from a file whose pixels are decoded when somebody first looks at them, on the thread
  /// that does. Of the file only the header is read. One that moves is decoded at once, as far as its first frame.
  ///
  /// The file stays in memory until then. What a decode would cost is checked now; whether the file is sound turns out
  /// later (`Picture.decode()`).
  ///
  /// - Parameters:
  ///   - data: the file.
  ///   - context: limits, memory, colours. Its cancellation counts until this returns.
  /// - Throws: `DecodingError`, as far as the header tells.
  public func deferredPicture(
    from data: Data, context: DecodingContext = .init()
  ) throws(DecodingError) -> Picture {
    try context.limits.checkEncodedByteCount(data.count)
    let decoder = try decoder(for: data)
    let prepared = try prepare(data, decoder, resize: nil, context: context)
    let make = { @Sendable (context: DecodingContext) throws(DecodingError) -> Picture in
      let picture = try decoder.makePicture(from: data, resize: nil, context: context)
      if let picture { return picture }
      return try render(prepared, resize: nil, context: context)
    }
    guard prepared.header.frameCount <= 1 else { return try make(context) }
    try context.checkpoint()
    let size = prepared.plan.orientation.applied(to: prepared.plan.outputSize)
    let makeContext = context.successor
    let pixels = DeferredPixels(
      size: size, byteCount: size.bitmapByteCount(as: prepared.format)
    ) { () throws(DecodingError) in
      try make(makeContext())
    }
    return Picture(pixels, header: prepared.header)
  }

  /// What is known of a file that may be decoded.
  private struct Prepared: Sendable {
    let header: ImageHeader
    /// What is decoded: the file, or a smaller rendition in it.
    let file: any ImageFile
    let isSmaller: Bool
    let data: Data
    let plan: DecodePlan
    let format: PixelFormat
    /// Whether colours are converted before or after the pixels are cut to 8 bits.
    let conversion: WideConversion
  }

  /// Reads the header, and checks what a decode would take.
  private func prepare(
    _ data: Data, _ decoder: any ImageDecoding, resize: Resize?, context: DecodingContext,
    mayBeSmaller: Bool = true
  ) throws(DecodingError) -> Prepared {
    var file = try decoder.openChecked(data, limits: context.limits)
    let header = file.header
    let context = context.fitting(header)
    try context.limits.check(header)
    guard !header.storedSize.isEmpty else {
      throw .corrupt(header.type, stage: "header", reason: "a picture of \(header.storedSize) pixels")
    }
    if let part = resize?.region, !part.overlaps(header.size) {
      throw .regionOutside(part, of: header.size)
    }
    var plan = DecodePlan(of: file, resize: resize, context: context)
    var isSmaller = false
    if mayBeSmaller, let smaller = file.smaller(for: plan, limits: context.limits),
      decoder.makesSense(smaller.header), plan.mayBegin(at: smaller.header.storedSize, of: header.storedSize)
    {
      let own = DecodePlan(plan, of: smaller, inPlaceOf: header.storedSize, context: context)
      isSmaller = own.byteCount <= context.limits.decodedByteCount
      if isSmaller { (file, plan) = (smaller, own) }
    }
    try context.limits.checkDecodedByteCount(plan.byteCount)
    let format = plan.pixelFormat(of: header, context)
    let conversion = format == .bgra8 ? wideConversion(file, &plan, context) : .notNeeded
    return Prepared(
      header: header, file: file, isSmaller: isSmaller, data: data, plan: plan, format: format,
      conversion: conversion)
  }

  private func render(
    _ prepared: Prepared, resize: Resize?, context: DecodingContext
  ) throws(DecodingError) -> Picture {
    let file = prepared.file
    var header = prepared.header
    let (plan, format) = (prepared.plan, prepared.format)
    let context = try context.fitting(header).reserving(plan.byteCount)
    defer { withExtendedLifetime(context) {} }
    try context.checkpoint()
    context.begin(.decode)
    var standIn: Bitmap?
    if resize?.allowsEmbeddedThumbnail == true {
      standIn = try file.renderThumbnail(plan, context: context)
    }
    var notes = header.notes
    if standIn != nil { notes.append("made from the thumbnail that the camera put into the file") }
    if prepared.conversion == .tooLarge {
      notes.append("shadows have 8 bits: with more, the picture is over the limit on decoded bytes")
    }
    var bitmap: Bitmap
    if let standIn {
      bitmap = standIn
    } else if prepared.conversion == .first {
      bitmap = try renderWide(file, plan: plan, context: context, notes: &notes)
    } else if prepared.conversion == .lastInAllBits {
      bitmap = try file.render(plan, context: context.inStoredFormat())
    } else {
      bitmap = try file.render(plan, context: context)
    }
    guard bitmap.size == plan.outputSize else {
      throw .corrupt(
        header.type, stage: "pixels", reason: "rendered to \(bitmap.size) instead of \(plan.outputSize)")
    }
    // A decoder may give what was not asked for; every other format is converted, none is taken for another.
    let isWide = prepared.conversion == .lastInAllBits && bitmap.format == .rgba16
    if bitmap.format != format, !isWide { bitmap = bitmap.converted(to: .bgra8, pool: context.pool) }
    // At the size of the result, which is mostly the smaller one.
    bitmap = converted(bitmap, header: header, context: context, notes: &notes)
    if bitmap.format != format { bitmap = bitmap.converted(to: format, pool: context.pool) }
    bitmap = try brightened(
      bitmap, prepared.data, plan: plan, header: &header, context: context, notes: &notes)
    let animation = animation(
      of: file, encodedByteCount: prepared.data.count, resize: resize, context: context, notes: &notes)
    return Picture(
      bitmap.upright(from: plan.orientation, pool: context.pool), header: header, animation: animation,
      notes: notes)
  }

  /// Checks what the result of a plan takes.
  func check(_ plan: DecodePlan, limits: DecodingLimits) throws(DecodingError) {
    try limits.checkDecodedByteCount(plan.outputSize.bitmapByteCount(as: .bgra8))
    // A quarter turn pads the other side.
    let uprightSize = plan.orientation.applied(to: plan.outputSize)
    try limits.checkDecodedByteCount(uprightSize.bitmapByteCount(as: .bgra8))
  }
}
