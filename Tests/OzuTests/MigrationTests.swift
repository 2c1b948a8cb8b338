import Foundation
import Ozu
import OzuTesting
import Testing

/// The calls of the migration pages, copied unchanged. Only the public API of the modules is imported.
@Suite("The calls of the migration pages work")
@MainActor
struct MigrationTests {
  private let client = FakeHTTPClient()
  private let url = URL(string: "https://example.com/a.jpg")!
  private let placeholder = Picture(
    Bitmap(size: PixelSize(1, 1), isOpaque: true) { _, _ in Pixel(red: 1, green: 2, blue: 3) })

  private func servedPipeline() throws -> ImagePipeline {
    client.reply(to: url, with: .ok(try PatternPicture(PixelSize(320, 240), tint: 2).data(as: .jpeg)))
    return .testing(client: client)
  }

  @Test("Haneke")
  func haneke() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: pipeline)
    let images = view.images
    let path = "/missing.jpg"
    let picture = placeholder

    images.setImage(from: url)
    await view.settled()
    images.setImage(fromFile: path)
    images.setImage(picture, key: "logo")
    images.setImage(with: NetworkFetcher(url))
    images.setImage(from: url, options: DisplayOptions { $0.placeholder = .picture(placeholder) })
    images.setImage(from: url, success: { use($0.picture) }, failure: { log($0) })
    images.cancel()

    let thumbnail = CacheFormat(
      "thumbnail", size: PixelSize(320, 240), scaleMode: .aspectFill, compressionQuality: 0.5,
      diskCapacity: 1 << 20, preloadPolicy: .lastSession,
      postResize: { _, picture in try picture.processed(by: [.roundedCorners(radius: 8)]) })
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
  }

  @Test("JMImageCache")
  func jmImageCache() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: pipeline)
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
    await pipeline.removeAll()
    pipeline.downloadDelegate = nil
    pipeline.loadImage(with: url) { result in show(result) }
  }

  @Test("Nuke")
  func nuke() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: pipeline)
    let images = view.images

    pipeline.loadImage(with: url) { result in show(result) }
    pipeline.loadImage(
      with: ImageRequest(url: url), queue: .main,
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
    task.priority = .high
    for await progress in task.progress { report(progress) }
    #expect(task.foundationProgress.completedUnitCount >= 0)
    task.cancel()
    #expect(pipeline.cachedImage(for: url) != nil)
    let small = ImageRequest(
      url: url, resize: Resize(PixelSize(320, 240), mode: .aspectFill), processors: [.circle()])
    pipeline.cache[small] = picture
    let shared = MemoryCache<ImageKey, CachedPicture>(MemoryCacheConfiguration(costLimit: 64 << 20))
    let cache: any ImageCaching = shared
    let custom = ImagePipeline {
      $0.httpClient = client
      $0.memoryCache.costLimit = 64 << 20
      $0.imageCache = shared
      $0.diskStorage = .none
      $0.concurrentFetches = 6
      let codecs = $0.codecs
      $0.codecs = codecs
      $0.imageCache = cache
      $0.stores = [any ImageStoring]()
      ($0.concurrentDecodes, $0.concurrentEncodes, $0.concurrentDiskOperations) = (2, 1, 2)
      ($0.isCoalescingEnabled, $0.isRateLimiterEnabled, $0.isResumableDataEnabled) = (true, true, true)
      ($0.isProgressiveDecodingEnabled, $0.isStoringPreviewsInMemoryCache) = (true, true)
      $0.observers = [TraceRecorder()]
      $0.interceptors = []
    }
    #expect(custom.configuration.concurrentFetches == 6)
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    prefetcher.start([small])
    prefetcher.stop([small])
    images.setImage(small)
  }

  @Test("a pipeline that is set is the shared one, for views too")
  func shared() {
    let former = ImagePipeline.shared
    defer { ImagePipeline.shared = former }
    let pipeline = ImagePipeline.testing()
    ImagePipeline.shared = pipeline
    #expect(ImagePipeline.shared === pipeline)
    #expect(ImageBinding(FakeImageView(DisplaySize(40, 30))).pipeline === pipeline)
  }

  @Test("Kingfisher")
  func kingfisher() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: pipeline)
    let images = view.images

    images.setImage(from: url)
    images.setImage(
      from: url,
      options: DisplayOptions {
        $0.placeholder = .picture(placeholder)
        $0.failurePicture = placeholder
        $0.transition = .fade(.milliseconds(200))
      },
      progress: { progress in report(progress) })
    images.setImage(
      ImageRequest(url: url, processors: [.gaussianBlur(radius: 4), .roundedCorners(radius: 20)]))
    images.setImage(ImageRequest(url: url, cachePolicy: .reload))
    images.setImage(ImageRequest(url: url, cachePolicy: .cacheOnly))
    images.cancel()
    let picture = try await pipeline.image(for: ImageRequest(url: url, cacheKey: "avatar"))
    pipeline.setImage(picture, forKey: "avatar")
    #expect(pipeline.cachedImage(forKey: "avatar") != nil)
    let isCached = pipeline.cache.contains(ImageRequest(url: url, cacheKey: "avatar"), layers: .memory)
    #expect(isCached)
    await pipeline.removeImage(forKey: "avatar")
    pipeline.removeImagesFromMemory()
    await pipeline.removeAllImages()
  }

  @Test("SDWebImage")
  func sdWebImage() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: pipeline)
    let images = view.images
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }

    images.setImage(from: url)
    images.setImage(
      ImageRequest(url: url),
      options: DisplayOptions {
        $0.placeholder = .picture(placeholder)
        $0.transition = .fade(.milliseconds(200))
        $0.priority = .high
      },
      handlers: DisplayHandlers(
        progress: { progress in report(progress) }, completion: { result in show(result) }))
    images.cancel()
    pipeline.loadImage(with: url) { result in show(result) }
    let picture = try await pipeline.image(for: url)
    let data = try await pipeline.data(for: url)
    #expect(!data.isEmpty)
    for request in [
      ImageRequest(url: url, cachePolicy: .reload), ImageRequest(url: url, cachePolicy: .cacheOnly),
      ImageRequest(url: url, cachePolicy: .bypass), ImageRequest(url: url, cacheKey: "avatar"),
      ImageRequest(url: url).resized(to: PixelSize(320, 240)),
      ImageRequest(url: url, processors: [.gaussianBlur(radius: 4), .roundedCorners(radius: 20)]),
    ] {
      #expect(try await pipeline.image(for: request).size == picture.size)
    }
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    prefetcher.start([ImageRequest(url: url)])
    pipeline.setImage(picture, forKey: "avatar")
    #expect(pipeline.cachedImage(forKey: "avatar") != nil)
    #expect(await pipeline.imageFromDisk(forKey: "avatar") != nil)
    await pipeline.removeImage(forKey: "avatar")
    pipeline.removeImagesFromMemory()
    await pipeline.removeAllImages()
    let custom = ImagePipeline {
      $0.httpClient = client
      $0.memoryCache.costLimit = 64 << 20
      $0.diskStorage = .folder(folder, capacity: 512 << 20)
      $0.concurrentFetches = 6
    }
    #expect(try await custom.image(for: url).size == picture.size)
  }

  private func use(_ picture: Picture) {}
  private func log(_ error: ImageError) {}
}

private func show(_ result: Result<ImageResponse, ImageError>) {}
private func show(_ result: Result<Data, ImageError>) {}
private func report(_ progress: LoadProgress) {}
