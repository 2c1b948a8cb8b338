import OzuBase

extension CodecRegistry {
  /// Makes an upright picture from a file. It decodes no more pixels than the recipe needs.
  ///
  /// It does every step on the calling thread: reads the header, checks the limits, plans, decodes at the cheapest
  /// sufficient scale, resamples, turns upright.
  ///
  /// - Parameters:
  ///   - data: the file.
  ///   - resize: the recipe; `nil` for the whole picture.
  ///   - context: limits, memory, cancellation.
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`.
  /// - Throws: `ImageDecodingError`. Limits are checked before memory for pixels is allocated.
  public func picture(
    from data: Data, resize: Resize? = nil, context: DecodingContext = .init()
  ) throws(ImageDecodingError) -> Picture {
    try context.limits.checkEncodedByteCount(data.count)
    let decoder = try decoder(for: data)
    if let picture = try decoder.makePicture(from: data, resize: resize, context: context) { return picture }
    let prepared = try prepare(data, decoder, resize: resize, context: context)
    do throws(ImageDecodingError) {
      return try render(prepared, resize: resize, context: context)
    } catch {
      // The whole picture may be intact even if a smaller rendition in the file is broken.
      guard prepared.isSmaller, error != .cancelled else { throw error }
      return try render(
        prepare(data, decoder, resize: resize, context: context, mayBeSmaller: false), resize: resize,
        context: context)
    }
  }

  /// Makes an upright picture whose pixels are decoded at their first use, on the thread that uses them. Only the
  /// header of the file is read now. An animated picture is decoded at once, up to its first frame.
  ///
  /// The file stays in memory until then. The cost of the decode is checked now; whether the file is intact is
  /// known only after `Picture.decode()`.
  ///
  /// - Parameters:
  ///   - data: the file.
  ///   - context: limits, memory, colours. Its cancellation has no effect after this returns.
  /// - Throws: `ImageDecodingError`, for errors that the header shows.
  package func deferredPicture(
    from data: Data, context: DecodingContext = .init()
  ) throws(ImageDecodingError) -> Picture {
    try context.limits.checkEncodedByteCount(data.count)
    let decoder = try decoder(for: data)
    let prepared = try prepare(data, decoder, resize: nil, context: context)
    let make = { @Sendable (context: DecodingContext) throws(ImageDecodingError) -> Picture in
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
    ) { () throws(ImageDecodingError) in
      try make(makeContext())
    }
    return Picture(pixels, header: prepared.header)
  }

  /// The facts about a file that passed the checks.
  private struct Prepared: Sendable {
    let header: ImageHeader
    /// The file to decode: the whole file, or a smaller rendition in it.
    let file: any ImageFile
    let isSmaller: Bool
    let data: Data
    let plan: DecodePlan
    let format: PixelFormat
    /// Whether colours are converted before or after the pixels are rounded to 8 bits.
    let conversion: WideConversion
  }

  /// Reads the header and checks the cost of the decode.
  private func prepare(
    _ data: Data, _ decoder: any ImageDecoding, resize: Resize?, context: DecodingContext,
    mayBeSmaller: Bool = true
  ) throws(ImageDecodingError) -> Prepared {
    var file = try decoder.openChecked(data, limits: context.limits)
    let header = file.header
    let context = context.fitting(header)
    try context.limits.checkDeclared(header)
    guard !header.storedSize.isEmpty else {
      throw .corrupt(header.type, stage: "header", reason: "a picture of \(header.storedSize) pixels")
    }
    try resize?.checkRegion(in: header.size)
    var plan = DecodePlan(of: file, resize: resize, context: context)
    var isSmaller = false
    if mayBeSmaller, let smaller = file.smaller(for: plan, limits: context.limits),
      decoder.makesSense(smaller.header),
      plan.mayBegin(
        at: smaller.header.storedSize, of: header.storedSize,
        stretch: header.cameraRAW == nil ? 0 : CameraRAW.largestStretch)
    {
      let own = DecodePlan(plan, of: smaller, inPlaceOf: header.storedSize, context: context)
      isSmaller = own.byteCount <= context.limits.decodedByteCount
      if isSmaller { (file, plan) = (smaller, own) }
    }
    try plan.checkPrice(for: file, context)
    let format = plan.pixelFormat(of: header, context)
    let conversion = format == .bgra8 ? wideConversion(file, &plan, context) : .notNeeded
    return Prepared(
      header: header, file: file, isSmaller: isSmaller, data: data, plan: plan, format: format,
      conversion: conversion)
  }

  private func render(
    _ prepared: Prepared, resize: Resize?, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    let file = prepared.file
    var header = prepared.header
    let (plan, format) = (prepared.plan, prepared.format)
    let context = try context.fitting(header).reserving(plan.byteCount)
    defer { withExtendedLifetime(context) {} }
    try context.checkpoint()
    context.begin(.decode)
    context.hasAcceptedTruncation = false
    var thumbnail: Bitmap?
    if resize?.allowsEmbeddedThumbnail == true {
      thumbnail = try file.renderThumbnail(plan, context: context)
    }
    var notes = header.notes
    if thumbnail != nil { notes.append("made from the thumbnail that the camera put into the file") }
    if prepared.conversion == .tooLarge {
      notes.append("shadows have 8 bits: with more, the picture is over the limit on decoded bytes")
    }
    var bitmap: Bitmap
    if let thumbnail {
      bitmap = thumbnail
    } else if prepared.conversion == .first {
      bitmap = try renderWide(file, plan: plan, context: context, notes: &notes)
    } else if prepared.conversion == .lastInAllBits {
      bitmap = try file.render(plan, context: context.inStoredFormat())
    } else {
      bitmap = try file.render(plan, context: context)
    }
    if context.hasAcceptedTruncation { notes.append("the file is cut off: a part of the picture is missing") }
    guard bitmap.size == plan.outputSize else {
      throw .corrupt(
        header.type, stage: "pixels", reason: "rendered to \(bitmap.size) instead of \(plan.outputSize)")
    }
    // A decoder may return another format than it was asked for. Its format is never assumed: any other is
    // converted.
    let isWide = prepared.conversion == .lastInAllBits && bitmap.format == .rgba16
    if bitmap.format != format, !isWide { bitmap = bitmap.converted(to: .bgra8, pool: context.pool) }
    // At the size of the result, which is usually smaller than the decoded picture.
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
  func check(_ plan: DecodePlan, limits: DecodingLimits) throws(ImageDecodingError) {
    try limits.checkDecodedByteCount(plan.outputSize.bitmapByteCount(as: .bgra8))
    // After a quarter turn, rows have another length and so another padding.
    let uprightSize = plan.orientation.applied(to: plan.outputSize)
    try limits.checkDecodedByteCount(uprightSize.bitmapByteCount(as: .bgra8))
  }
}
