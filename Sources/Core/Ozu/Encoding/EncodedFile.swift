import OzuBase
import OzuCodecs

struct EncodedFile: Sendable {
  let data: Data
  let type: ImageType
  let size: PixelSize
  let frameCount: Int
  /// Notes about data of the source that could not be kept.
  let notes: [String]
}

/// Encodes a file in the first of the formats that suit the picture. If that fails because its library is not
/// installed, or because the format cannot hold a picture of this size, the next format is tried. Runs on a decoding
/// thread.
struct EncodedFileMaker {
  let loaded: LoadedPicture
  /// The animation before the processors of the request, if it is to be written.
  let animation: PictureAnimation?
  let fetched: FetchedData
  let goal: EncodingGoal
  let configuration: ImagePipeline.Configuration
  let isCancelled: @Sendable () -> Bool

  private var name: String { goal.request.source.name }
  var codecs: CodecRegistry { configuration.decoding.codecs }

  func make() throws(ImageError) -> EncodedFile {
    if let file = transcoded() { return file }
    let picture = loaded.picture
    do throws(ImageDecodingError) {
      // The picture may be undecoded.
      try picture.decode()
    } catch {
      throw ImageError(error, source: name)
    }
    var first: ImageEncodingError?
    let types = goal.format.candidates(
      isOpaque: picture.bitmap.isOpaque, moves: animation != nil, codecs)
    for type in types {
      do throws(ImageEncodingError) {
        return try make(as: type)
      } catch {
        switch error {
        case .cancelled: throw .cancelled(name)
        case .unsupportedType, .tooLarge, .failed: first = first ?? error
        case .tooManyBytes, .tooManyFrames, .tooManyPixels, .tooMuchTime:
          throw .encodingFailed(name, underlying: error)
        }
      }
    }
    throw .encodingFailed(name, underlying: first ?? .unsupportedType(types[0]))
  }

  private func make(as type: ImageType) throws(ImageEncodingError) -> EncodedFile {
    var options = goal.format.options
    var notes: [String] = []
    if let animation, codecs.encodableAnimationTypes.contains(type) {
      var limits = AnimationEncodingLimits(configuration.decoding.limits)
      var frameCount = animation.frameCount
      let context = configuration.processingContext.forFrames()
      var first: Bitmap?
      if !goal.request.decodedSteps.isEmpty {
        first = animation.survey(context, limits: &limits, isCancelled: isCancelled) { frame in
          try process(frame, context)
        }
      }
      var size = first?.size ?? loaded.picture.size
      options.metadata = metadata(for: size, loaded.picture, as: type, &notes)
      let data = try codecs.encode(
        animation, as: type, options: options, limits: limits,
        onEnd: { index, error in
          // Another quality may be tried.
          guard index < frameCount else { return }
          notes.append("ends before frame \(index + 1) of \(frameCount), which cannot be decoded: \(error)")
          frameCount = index
        }, isCancelled: isCancelled
      ) { (frame, _) throws in
        let processed = try first ?? process(frame, context)
        first = nil
        size = processed.size
        return processed
      }
      return EncodedFile(
        data: data, type: type, size: size, frameCount: frameCount, notes: notes)
    }
    let picture = loaded.picture
    options.metadata = metadata(for: picture.size, picture, as: type, &notes)
    if let gainMap = gainMap(of: picture, for: type, &notes) {
      do throws(ImageEncodingError) {
        let data = try codecs.encode(picture.bitmap, with: gainMap, options: options, notes: &notes)
        return EncodedFile(data: data, type: type, size: picture.size, frameCount: 1, notes: notes)
      } catch {
        guard case .tooManyBytes = error else { throw error }
        notes.append("its gain map is left out: with it, the file is over the limit of bytes")
      }
    }
    if options.metadata.removeAnnouncementOfGainMap() {
      notes.append("XMP is left out: it announces a gain map")
    }
    let data = try codecs.encode(picture, as: type, options: options)
    return EncodedFile(data: data, type: type, size: picture.size, frameCount: 1, notes: notes)
  }

  /// The gain map of the source, brought to the geometry of the picture; nil if it is not wanted or cannot be kept.
  private func gainMap(of picture: Picture, for type: ImageType, _ notes: inout [String]) -> GainMapPicture? {
    guard goal.format.keepsGainMap, let header = picture.header, header.gainMap != nil else { return nil }
    // The gain map has already been applied to these pixels.
    if case .coded = picture.bitmap.colorSpace { return nil }
    guard type == .jpeg, case .data(let data) = fetched.content else {
      notes.append("its gain map is left out: only a JPEG can contain it")
      return nil
    }
    let context = DecodingContext(
      limits: configuration.decoding.limits, pool: configuration.decoding.pixelBufferPool,
      budget: configuration.decoding.decodedByteBudget,
      isCancelled: isCancelled)
    do throws(GainMapPicture.Loss) {
      return try codecs.gainMap(
        of: data, header: header, resize: goal.request.decodingResize, steps: goal.request.decodedSteps,
        picture: picture.bitmap, context: context)
    } catch {
      notes.append("its gain map is left out: \(error)")
      return nil
    }
  }

  private func process(_ frame: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
    let steps = goal.request.decodedSteps
    guard !steps.isEmpty else { return frame }
    context.beginFrame()
    return try Picture(frame).processed(by: steps, context: context).bitmap
  }

  /// The metadata of the source that the policy keeps, and the app's own blocks where the source has none, as far as the
  /// format has a place for them.
  private func metadata(
    for size: PixelSize, _ picture: Picture, as type: ImageType, _ notes: inout [String]
  ) -> EncodedMetadata {
    let (format, own) = (goal.format, goal.format.options.metadata)
    var file: Data?
    if format.keepsBlocks, case .data(let data) = fetched.content { file = data }
    var result = codecs.keptMetadata(
      of: file, policy: format.metadata, size: size, colorSpace: picture.bitmap.colorSpace,
      resolution: format.resolution ?? own.resolution,
      isTurned: Composition(goal.request.decodedSteps).swapsAxes, limits: configuration.decoding.limits,
      notes: &notes)
    result.exif = result.exif ?? own.exif
    result.xmp = result.xmp ?? own.xmp
    result.colorProfile = result.colorProfile ?? own.colorProfile
    result.lightLevels = own.lightLevels ?? picture.keptLightLevels
    let kept = (try? codecs.encoder(for: type))?.keptMetadata ?? .all
    notes += result.removeBlocks(withoutPlaceIn: type, keeping: kept)
    return result
  }
}

/// The metadata of an encoded image in a store.
struct EncodedRecord: Sendable {
  private static let currentVersion = 3

  var type: ImageType
  var size: PixelSize
  var frameCount: Int
  /// The checksum of the bytes. The disk cache has its own; this one is the entity tag for clients.
  var checksum: CacheKey
  var notes: [String] = []
  /// The data that says whether its source is unchanged. Its own notes are empty.
  var rendition: RenditionRecord
  /// The size of the original in bytes; 0 if a fetcher returned pixels.
  var sourceByteCount: Int
}

extension EncodedRecord {
  /// Reads a record; `nil` when it is damaged or of another version.
  init?(_ data: Data) {
    let record = FieldReader.record(data, version: Self.currentVersion) {
      (reader) throws(FieldReader.Damage) in
      guard try reader.integer() == RenditionRecord.currentVersion else { throw FieldReader.Damage() }
      return EncodedRecord(
        type: ImageType(rawValue: try reader.text()),
        size: try PixelSize(from: &reader), frameCount: try reader.integer(),
        checksum: try reader.key(),
        notes: try reader.list { (reader) throws(FieldReader.Damage) in try reader.text() },
        rendition: try RenditionRecord(from: &reader), sourceByteCount: try reader.integer())
    }
    guard let record else { return nil }
    self = record
  }

  var data: Data {
    var writer = FieldWriter()
    writer.append(Self.currentVersion)
    // The version of the nested rendition record.
    writer.append(RenditionRecord.currentVersion)
    writer.append(type.rawValue)
    size.write(to: &writer)
    writer.append(frameCount)
    writer.append(checksum)
    writer.append(notes) { $0.append($1) }
    rendition.write(to: &writer)
    writer.append(sourceByteCount)
    return writer.data
  }

  /// The same record with the new validity of a confirmed source.
  func renewed(_ validity: OriginalValidity) -> EncodedRecord {
    var record = self
    record.rendition.validity = validity
    return record
  }
}
