import OzuBase

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
    return earlyConversion(file, &plan, context)
  }

  private func earlyConversion(
    _ file: any ImageFile, _ plan: inout DecodePlan, _ context: DecodingContext
  ) -> WideConversion {
    let pixels = plan.throughPixels
    let byteCount = pixels.widePeakByteCount(
      file.header, context, demand: file.demand(of: pixels, context: context.inStoredFormat()))
    guard byteCount <= context.limits.decodedByteCount else { return .tooLarge }
    plan.byteCount = max(plan.byteCount, byteCount)
    return .first
  }

  /// The same for PQ and HLG. If pixels are resampled in linear light, they are converted first: linear light means the
  /// light of the display.
  private func rangeConversion(
    _ file: any ImageFile, _ plan: inout DecodePlan, _ context: DecodingContext
  ) -> WideConversion {
    if plan.light == .linear, !plan.needsNoResampling { return earlyConversion(file, &plan, context) }
    guard file.header.pixelFormat(under: .asStored) == .rgba16 else { return .notNeeded }
    let byteCount = plan.price(for: file, context.inStoredFormat())
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

extension CodecRegistry {
  /// The picture converted as the policy says; unchanged and with a note if its encoding cannot be used.
  func converted(
    _ bitmap: Bitmap, header: ImageHeader, context: DecodingContext, notes: inout [String]
  ) -> Bitmap {
    guard context.colorPolicy.converts(header), bitmap.colorSpace != .sRGB,
      let encoding = header.colorEncoding
    else { return bitmap }
    if let range = HighDynamicRange(encoding) {
      return toneMapped(bitmap, range, header: header, context: context, notes: &notes)
    }
    guard let colorConverter else { return bitmap }
    let result = colorConverter.convertToSRGB(
      bitmap, from: encoding, colorModel: header.colorModel, pool: context.pool)
    if let result, result.size == bitmap.size { return result }
    notes.append("colours are shown as stored: \(encoding.name) cannot be used")
    return bitmap.withColorSpace(.sRGB)
  }

  /// Tone-maps a picture of high dynamic range for a display that shows nothing brighter than white. The result is
  /// in the format of the context.
  private func toneMapped(
    _ bitmap: Bitmap, _ range: HighDynamicRange, header: ImageHeader, context: DecodingContext,
    notes: inout [String]
  ) -> Bitmap {
    let (peak, doubts) =
      range.transfer == .perceptualQuantizer ? LightLevels.peak(of: header.lightLevels) : (0, [])
    guard let mapping = ToneMapping.cached(range, peak: peak) else {
      notes.append(
        "colours are shown as stored: \(range.name) with primaries \(range.primaries) cannot be used")
      return bitmap.withColorSpace(.sRGB)
    }
    notes += doubts
    notes.append("\(range.name) was tone-mapped to sRGB (ITU-R BT.2390)")
    let format: PixelFormat = context.pixelFormats == .asStored && bitmap.format == .rgba16 ? .rgba16 : .bgra8
    return mapping.convert(bitmap, to: format, pool: context.pool)
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
      if error == .cancelled || context.isTriedAgain(after: error) { throw error }
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

extension CodecRegistry {
  /// The gain map of a file, changed in the same way as the picture that was made from the file. The ratio of its
  /// size to the picture's stays the same.
  ///
  /// - Parameters:
  ///   - header: the header of the file.
  ///   - resize: the recipe of the decode.
  ///   - steps: the processors that followed it.
  ///   - picture: the result, upright.
  /// - Throws: the reason, in words for a note: a step that changes colours or depends on the place, a broken map,
  ///   limits.
  /// - Complexity: O(pixels of the map).
  package func gainMap(
    of data: Data, header: ImageHeader, resize: Resize?, steps: [any ImageProcessing], picture: Bitmap,
    context: DecodingContext
  ) throws(GainMapPicture.Loss) -> GainMapPicture? {
    guard let numbers = header.gainMap else { return nil }
    guard let geometry = PictureGeometry(source: header.size, resize: resize, steps: steps),
      geometry.size == picture.size
    else { throw GainMapPicture.Loss(description: "steps have changed more than size, place and direction") }
    if numbers.channels.count > 1, header.colorEncoding != nil, picture.colorSpace == .sRGB {
      throw GainMapPicture.Loss(
        description: "its gains are meant for the colours of the file, which were converted")
    }
    let map: Bitmap
    do throws(ImageDecodingError) {
      map = try self.map(numbers, in: data, header, besides: picture.byteCount, context)
    } catch {
      throw GainMapPicture.Loss(description: "\(error)")
    }
    let upright = map.upright(from: header.orientation, pool: context.pool)
    let (horizontal, vertical) = (
      Double(upright.size.width) / Double(header.size.width),
      Double(upright.size.height) / Double(header.size.height)
    )
    let region = geometry.region.scaled(horizontal: horizontal, vertical: vertical)
    // Never more pixels than before: a picture that was enlarged has no more gains.
    func side(_ length: Int, _ scale: Double, _ most: Double) -> Int {
      max(1, Int(clamping: min(Double(length) * scale, most), rounded: .toNearestOrAwayFromZero))
    }
    let before = geometry.sizeBeforeTurns
    let size = PixelSize(
      side(before.width, horizontal, region.width), side(before.height, vertical, region.height))
    var result = Resampler(kernel: .bilinear).resample(upright, region: region, to: size, pool: context.pool)
    for turn in geometry.turns { result = result.upright(from: turn.orientation, pool: context.pool) }
    var own = numbers
    (own.size, own.bytes, own.edits) = (result.size, 0..<0, [])
    if own.coding == .light, let channel = own.channels.first {
      result = own.inStops(result, channel)
      own.coding = .stops
    }
    // Parameters that all colours share can still belong to values that differ.
    let isGray = numbers.channels.count == 1 && result.isGray
    return GainMapPicture(own, bitmap: isGray ? result.converted(to: .gray8, pool: context.pool) : result)
  }
}

extension GainMap {
  /// Converts values in light to values in stops, from 0 to the greatest gain.
  fileprivate func inStops(_ map: Bitmap, _ channel: Channel) -> Bitmap {
    let table = (0...255).map { value in
      UInt8(clamping: stops(Double(value) / 255, channel) / channel.maximum * 255 + 0.5)
    }
    return Bitmap(size: map.size, isOpaque: true) { x, y in
      let pixel = map[x, y]
      return Pixel(red: table[Int(pixel.red)], green: table[Int(pixel.green)], blue: table[Int(pixel.blue)])
    }
  }
}
