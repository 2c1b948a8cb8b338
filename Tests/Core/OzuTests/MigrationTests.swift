import Dispatch
import Foundation
import Ozu
import OzuMigration
import OzuTesting
import Testing

/// The calls of the migration pages, copied unchanged: here those of the libraries for which `OzuMigration` has shims. Only the
/// public API of the modules is imported.
@Suite("The calls of the migration pages work")
@MainActor
struct MigrationTests {
  let client = FakeHTTPClient()
  let url = URL(string: "https://example.com/a.jpg")!
  let placeholder = Picture(
    Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _, _ in Pixel(red: 1, green: 2, blue: 3) })

  func servedPipeline() throws -> ImagePipeline {
    client.reply(
      to: url, with: .ok(try PatternPicture(PixelSize(width: 320, height: 240), tint: 2).data(as: .jpeg)))
    return .testing(client: client)
  }

  @Test("Haneke")
  func haneke() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(width: 40, height: 30), pipeline: pipeline)
    let images = view.images
    let path = "/missing.jpg"
    let picture = placeholder

    images.setImage(from: url)
    await view.settled()
    images.setImage(fromFile: path)
    images.setImage(picture, key: "logo")
    images.setImage(from: NetworkFetcher(url))
    images.setImage(from: url, options: DisplayOptions { $0.placeholder = .picture(placeholder) })
    images.setImage(from: url, success: { use($0.picture) }, failure: { log($0) })
    images.cancel()

    let thumbnail = CacheFormat(
      "thumbnail", size: PixelSize(width: 320, height: 240), mode: .aspectFill, compressionQuality: 0.5,
      diskCapacity: 1 << 20
    ) {
      $0.preloadPolicy = .lastSession
      $0.postResize = { _, picture in try picture.processed(by: [.roundedCorners(radius: 8)]) }
    }
    images.cacheFormat = thumbnail
    pipeline.register(thumbnail)
    #expect(pipeline.formats["thumbnail"] === thumbnail)
    thumbnail.diskCapacity = 2 << 20
    #expect(thumbnail.diskSize == 0)
    #expect(thumbnail.resized(picture).size == picture.size)

    let key = url.absoluteString
    pipeline.fetchImage(
      for: NetworkFetcher(url), format: thumbnail, success: { use($0) }, failure: { log($0) })
    pipeline.fetchImage(forKey: key, format: thumbnail, success: { use($0) }, failure: { log($0) })
    pipeline.setImage(picture, forKey: key, format: thumbnail)
    #expect(try await pipeline.image(forKey: key, format: thumbnail).size == picture.size)
    await pipeline.removeImages(forKey: key)
    await pipeline.removeImages(ofFormat: "thumbnail")
    await pipeline.removeAllImages()
    #expect(ImagePipeline { $0.log = StandardErrorLog(.debug) }.configuration.log != nil)
  }

  @Test("JMImageCache")
  func jmImageCache() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(width: 40, height: 30), pipeline: pipeline)
    let images = view.images
    let urlOrNil: URL? = nil
    let picture = placeholder

    images.setImage(from: url, options: DisplayOptions { $0.placeholder = .picture(placeholder) })
    images.setImage(from: urlOrNil, key: "avatar")
    let downloaded = try await pipeline.image(for: url, key: nil)
    let avatar = try await pipeline.image(for: url, key: "avatar")
    #expect(downloaded.size == avatar.size)
    #expect(pipeline.cachedImage(for: url) != nil)
    #expect(pipeline.cachedImage(forKey: "avatar") != nil)
    #expect(await pipeline.imageFromDisk(forKey: "avatar") != nil)
    pipeline.setImage(picture, forKey: "avatar")
    pipeline.setImage(picture, forKey: url.absoluteString)
    await pipeline.removeImage(forKey: "avatar")
    await pipeline.removeImage(for: url)
    await pipeline.removeAllImages()
    _ = ImagePipeline { $0.downloadDelegate = nil }
    pipeline.loadImage(with: url) { result in show(result) }
  }

  @Test("Nuke")
  func nuke() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(width: 40, height: 30), pipeline: pipeline)
    let images = view.images

    pipeline.loadImage(with: url) { result in show(result) }
    pipeline.loadImage(
      with: ImageRequest(url: url), queue: nil,
      progress: { preview, received, expected in
        report(LoadProgress(receivedByteCount: Int(received), expectedByteCount: Int(expected)))
      },
      completion: { result in show(result) })
    pipeline.loadData(with: ImageRequest(url: url)) { result in show(result) }
    let picture = try await pipeline.image(for: url)
    let response = try await pipeline.response(for: ImageRequest(url: url))
    let data = try await pipeline.data(for: url)
    #expect(picture.size == response.picture.size && !data.isEmpty)
    let task = pipeline.task(for: url)
    _ = pipeline.task(for: "https://example.com/a.jpg")
    #expect(
      ImageRequest(ImageURLRequest(url: url, headers: ["Authorization": "token"])).key
        != ImageRequest(url: url).key)
    let dataTask = pipeline.loadData(with: url) { _ in }
    #expect(dataTask.foundationProgress === dataTask.foundationProgress)
    for await progress in dataTask.progress { report(progress) }
    task.priority = .high
    for await progress in task.progress { report(progress) }
    #expect(task.foundationProgress.completedUnitCount >= 0)
    task.cancel()
    #expect(pipeline.cachedImage(for: url) != nil)
    let small = ImageRequest(
      url: url, resize: Resize(PixelSize(width: 320, height: 240), mode: .aspectFill), processors: [.circle()]
    )
    pipeline.cache[small] = picture
    let shared = MemoryCache<ImageKey, CachedPicture>(MemoryCacheConfiguration(costLimit: 64 << 20))
    let cache: any ImageCaching = shared
    let custom = ImagePipeline {
      $0.network.httpClient = client
      $0.caching.memoryCache.costLimit = 64 << 20
      $0.caching.imageCache = shared
      $0.caching.diskStorage = .none
      $0.caching.storagePolicy = .originalData
      $0.network.concurrentFetches = 6
      let codecs = $0.decoding.codecs
      $0.decoding.codecs = codecs
      $0.caching.imageCache = cache
      $0.caching.stores = [any ImageStoring]()
      ($0.decoding.concurrentDecodes, $0.caching.concurrentEncodes, $0.caching.concurrentDiskOperations) = (
        2, 1, 2
      )
      ($0.isCoalescingEnabled, $0.network.isRateLimiterEnabled, $0.network.isResumableDataEnabled) = (
        true, true, true
      )
      ($0.decoding.isProgressiveDecodingEnabled, $0.caching.isStoringPreviewsInMemoryCache) = (true, true)
      $0.observers = [TraceRecorder()]
      #if canImport(os)
        $0.observers.append(SignpostObserver(subsystem: "com.example.app"))
      #endif
      $0.interceptors = []
    }
    let configuration = custom.configuration
    let same = ImagePipeline(configuration: configuration)
    #expect(same.configuration.network.concurrentFetches == 6)
    _ = ImagePipeline(configuration)
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    prefetcher.start([small])
    prefetcher.start([url])
    prefetcher.stop([small])
    images.setImage(small)
  }

  @Test("Nuke: the completion of a cancelled task is called, on the queue; no queue means the main one")
  func cancelledTask() async throws {
    let gate = Gate()
    client.reply(to: url, with: .ok(Data()).held(by: gate))
    let pipeline = ImagePipeline.testing(client: client)
    let queues: [DispatchQueue?] = [nil, DispatchQueue(label: "own")]
    for queue in queues {
      let result = await withCheckedContinuation { continuation in
        let task = pipeline.loadImage(with: url, queue: queue) { result in
          dispatchPrecondition(condition: .onQueue(queue ?? .main))
          continuation.resume(returning: result)
        }
        task.cancel()
      }
      #expect(throws: ImageError.self) { try result.get() }
      if case .failure(let error) = result { #expect(error.isCancellation) }
    }
    gate.open()
  }

  @Test("a pipeline that is set is the shared one, for views too")
  func shared() {
    let former = ImagePipeline.shared
    defer { ImagePipeline.shared = former }
    let pipeline = ImagePipeline.testing()
    ImagePipeline.shared = pipeline
    #expect(ImagePipeline.shared === pipeline)
    #expect(ImageBinding(FakeImageView(DisplaySize(width: 40, height: 30))).pipeline === pipeline)
  }

  private func use(_ picture: Picture) {}
  private func log(_ error: ImageError) {}
}

private func show(_ result: Result<ImageResponse, ImageError>) {}
private func show(_ result: Result<Data, ImageError>) {}
private func report(_ progress: LoadProgress) {}
