/// Encoding: the picture of the source becomes a file, whose record tells how it was made. The caches store the file.
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
    return [
      "its gain map was not applied: a file as \(type.displayName) was possible, which cannot state the brightness"
    ]
  }

  // MARK: Storing

  /// Stores a file, and the source's bytes if they are given and new. Waits if the backlog has no room.
  func write(_ entry: EncodedEntry, _ fetched: FetchedData?) -> JobStep {
    var waits = fetched.map { context.storeOriginal($0, for: goal.load, epoch) } ?? []
    keepInMemory(entry)
    if goal.writesStores, !context.caches.stores.isEmpty {
      let wait = context.backlog.add(byteCount: entry.data.count) { [context, goal, right] _ in
        context.caches.store(entry, goal.key, for: goal.request, by: right)
      }
      if let wait { waits.append(wait) }
    }
    next = .wait
    // Writes happen in order: when the last is done, all are done.
    return waits.last.map(JobStep.depend) ?? .finish(succeeded: true)
  }

  /// Puts a file into memory, unless its source has been removed since the request.
  func keepInMemory(_ entry: EncodedEntry) {
    guard goal.writesMemory else { return }
    right.store {
      context.caches.keepEncoded(entry, goal.key)
    } takeBack: {
      context.caches.encodedMemory.removeValue(forKey: goal.key)
    }
  }

  /// The right to store the file.
  private var right: EpochRight { context.epochs.right(to: request, in: epoch) }

  func forget() {
    guard request.cachePolicy.writesCaches, right.isValid else { return }
    context.caches.encodedMemory.removeValue(forKey: goal.key)
    context.backlog.enqueue { [context, goal, right] in
      guard right.isValid else { return }
      context.caches.removeEncoded(goal.key, of: goal.request)
    }
  }
}
