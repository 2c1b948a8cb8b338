import OzuBase

extension ImageEncoding {
  /// Encodes a bitmap at the quality that the options ask for: a number, a score, or the highest that fits in a
  /// number of bytes. The bytes win over the score.
  ///
  /// - Parameter codecs: decode what was encoded, for its score.
  func encode(
    _ bitmap: Bitmap, searching options: EncodingOptions, with codecs: CodecRegistry
  ) throws(ImageEncodingError) -> Data {
    var options = options.narrowed(to: type)
    let whole: Data
    if let target = options.clampedTarget, hasQuality, !options.isLossless,
      min(bitmap.size.width, bitmap.size.height) >= SSIMULACRA2.leastSide
    {
      whole = try encode(bitmap, score: target, options: &options, with: codecs)
    } else {
      whole = try encode(bitmap, options: options)
    }
    return try fit(whole, of: bitmap, options)
  }

  /// Encodes at the quality whose score is nearest to a target.
  ///
  /// - Parameter options: receives the quality and the chroma.
  private func encode(
    _ bitmap: Bitmap, score target: Double, options: inout EncodingOptions, with codecs: CodecRegistry
  ) throws(ImageEncodingError) -> Data {
    let original = keepsAlpha || bitmap.isOpaque ? bitmap : bitmap.overWhite()
    var search = ScoreSearch(
      target: target, chroma: options.chromaSubsampling, heedsChroma: hasChromaSubsampling)
    var best: (data: Data, attempt: ScoreSearch.Attempt, score: Double)?
    repeat {
      options.compressionQuality = search.attempt.quality
      options.chromaSubsampling = search.attempt.chroma
      let data = try encode(bitmap, options: options)
      let score = try score(of: data, original: original, with: codecs)
      let isBetter = best.map { search.distance(of: score) < search.distance(of: $0.score) } ?? true
      if isBetter { best = (data, search.attempt, score) }
      guard search.record(score) else { break }
    } while true
    // There was at least one try.
    guard let best else { throw .failed(type, reason: "no quality was tried") }
    options.compressionQuality = best.attempt.quality
    options.chromaSubsampling = best.attempt.chroma
    return best.data
  }

  /// The score of a file that was just written. It is decoded in this process: its bytes are not a stranger's.
  private func score(
    of data: Data, original: Bitmap, with codecs: CodecRegistry
  ) throws(ImageEncodingError) -> Double {
    var codecs = codecs
    codecs.isolateBuiltIn([]) { _, _ in nil }
    do {
      // A budget of its own: the caller may hold a reservation of the shared one.
      let context = DecodingContext(
        colorPolicy: .keep, pixelFormats: .asStored,
        budget: DecodedByteBudget(byteLimit: DecodingLimits.default.decodedByteCount))
      let decoded = try codecs.picture(from: data, context: context).bitmap
      // The values are those of the original, whatever the file can say about their colours.
      return try SSIMULACRA2.score(of: decoded.withColorSpace(original.colorSpace), original: original)
    } catch {
      throw .failed(type, reason: "its look cannot be measured: \(error)")
    }
  }
}

extension EncodingOptions {
  /// The target, limited to the scores that lossy files have.
  fileprivate var clampedTarget: Double? {
    targetScore.flatMap { $0.isNaN ? nil : min(max($0, 30), 100) }
  }
}

extension ImageEncoding {
  /// Encodes a bitmap again, at a lower quality, if its file has more bytes than the options allow.
  ///
  /// A lossy file grows with its quality, so the quality is found by bisection, to a 64th of the wanted quality,
  /// which is not visible.
  ///
  /// - Parameter whole: the file at the quality of the options.
  /// - Throws: `ImageEncodingError`; `tooManyBytes` if the lowest quality does not fit either, or if the format has only
  ///   one, and the limit is enforced.
  fileprivate func fit(
    _ whole: Data, of bitmap: Bitmap, _ options: EncodingOptions
  ) throws(ImageEncodingError) -> Data {
    guard let limit = options.maximumByteCount, whole.count > limit else { return whole }
    var options = options
    var (low, high) = (options.enforcesByteLimit ? 0.0 : 0.1, options.compressionQuality)
    guard low < high, hasQuality, !options.isLossless else {
      if !options.enforcesByteLimit { return whole }
      // The lowest quality was wanted, or there is one alone, and it does not fit.
      throw .tooManyBytes(type, byteCount: whole.count, limit: limit)
    }
    options.compressionQuality = low
    var fitting = try encode(bitmap, options: options)
    guard fitting.count <= limit else {
      if !options.enforcesByteLimit { return fitting.count < whole.count ? fitting : whole }
      throw .tooManyBytes(type, byteCount: min(fitting.count, whole.count), limit: limit)
    }
    for _ in 0..<6 {
      options.compressionQuality = (low + high) / 2
      let data = try encode(bitmap, options: options)
      if data.count <= limit {
        (low, fitting) = (options.compressionQuality, data)
      } else {
        high = options.compressionQuality
      }
    }
    return fitting
  }
}
