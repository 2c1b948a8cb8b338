/// Encoding: the picture of the source becomes a file, whose record tells how it was made.
extension EncodeImage {
  /// An animation is processed frame by frame, so it is loaded without processors.
  func prepare(_ loaded: LoadedPicture, _ fetched: FetchedData) -> JobStep {
    let moves = goal.format.keepsAnimation && (loaded.picture.header?.frameCount ?? 1) > 1
    let canMove =
      moves
      && goal.format.types.contains(where: configuration.decoding.codecs.encodableAnimationTypes.contains)
    guard canMove, !request.decodedSteps.isEmpty else {
      return encode(loaded, canMove ? loaded.picture.animation : nil, fetched)
    }
    next = .loadAnimation(loaded, fetched)
    return depend(on: loadRequest.with { $0.processors = [] }, fetched)
  }

  func encode(
    _ loaded: LoadedPicture, _ animation: PictureAnimation?, _ fetched: FetchedData
  ) -> JobStep {
    let size = loaded.picture.byteCount / 16 * (animation?.frameCount ?? 1)
    return go(
      .encode(EncodingInput(loaded: loaded, animation: animation, fetched: fetched)), in: .decode, size: size)
  }

  func encode(_ input: EncodingInput) -> JobStep {
    let (loaded, fetched) = (input.loaded, input.fetched)
    timings.add(loaded.timings)
    let (start, stage) = (configuration.instant, context.events.stageBegan(.encode, of: name))
    let maker = EncodedFileMaker(
      input: input, goal: goal, configuration: configuration, isCancelled: { [self] in cancellation.isRaised }
    )
    let result = Result { () throws(ImageError) in try maker.make() }
    context.events.stageEnded(stage, byteCount: (try? result.get())?.data.count ?? 0)
    let file: EncodedFile
    switch result {
    case .failure(.encodingFailed) where !(converts && isDimmed) && loaded.picture.bitmap.colorSpace != .sRGB:
      // The encoder does not accept the profile. The picture is encoded without it, with converted colours.
      (converts, isDimmed) = (true, true)
      return load(fetched)
    case .failure(let error): return fail(error)
    case .success(let made): file = made
    }
    context.events.counters.encodes.increment()
    timings.add(.encode, start.duration(to: configuration.instant))
    let record = EncodedRecord(
      type: file.type, size: file.size, frameCount: file.frameCount, checksum: CacheKey(hashing: file.data),
      notes: loaded.picture.notes + dimming(loaded.picture, file.type) + file.notes,
      rendition: RenditionRecord(
        header: loaded.picture.header, stamp: fetched.stamp, validity: fetched.validity, notes: []),
      sourceByteCount: loaded.encodedByteCount)
    let entry = EncodedEntry(file.data, record, of: request)
    finish(entry, loaded.source, loaded.verdict, isNew: true, allowsStoring: fetched.allowsStoring)
    guard fetched.allowsStoring else {
      forget()
      return .finish(succeeded: true)
    }
    return write(entry, nil)
  }

  /// The note about a gain map that could not be applied.
  private func dimming(_ picture: Picture, _ type: ImageType) -> [String] {
    guard isDimmed, request.headroomStops != nil, picture.header?.gainMap != nil else { return [] }
    return ["its gain map was not applied: a file as \(type.displayName) was possible, which cannot say so"]
  }
}
