// The declarations that samples of pages and comments use. Each sample gets the part "all" and the one of its target; a
// comment also gets the part of its file, inside the function that holds the sample. See check_samples.py.

// MARK: all
let url = URL(string: "https://example.com/a.jpg")!
let large = url
let small = url
let mirror = url
let endpoint = url
let file = url
let folder = url
func show(_ value: some Any) {}
func log(_ value: some Any) {}
func log(_ value: some Any, _ other: some Any) {}
func use(_ value: some Any) {}
func report(_ value: some Any) {}

// MARK: linux
let pipeline = ImagePipeline.shared
let request = ImageRequest(url: url)
let thumbnail = request
let (upcoming, passed) = ([request], [request])
let urls = [url]
let picture = Picture(Bitmap(size: PixelSize(width: 1, height: 1)) { _, _ in .white })
let square = picture
let codecs = CodecRegistry.standard
let jpeg = data
let client = FakeHTTPClient()
let gate = Gate()
let server = try! LoopbackServer()
let hash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
let (secret, name) = ("secret", "name")
let data = Data()
let body = data
let destination = url

struct Level { init(_ level: ImageLogLevel) {} }
struct Logger: Sendable { func log(level: Level, _ line: String) {} }
let logger = Logger()
let (salt, token) = ("0b", "token")
let files = MemoryFileSystem()
let isMetered: @Sendable () -> Bool = { false }
@MainActor let view = FakeImageView(DisplaySize(width: 40, height: 30))
@MainActor let bar = Bar()

final class Bar { var fraction = 0.0 }

extension FakeImageView {
  func show(_ picture: Picture) {}
  func finish(_ result: Result<ImageResponse, ImageError>) {}
}

struct AssetFetcher: ImageFetching {
  let name: String
  var key: String { name }
  func fetch() async throws -> FetchedImage { .data(Data()) }
}

enum keychain {
  static func decrypt(_ data: Data) throws -> Data { data }
}

struct Tokens {}

let tokens = Tokens()

struct TokenSigner: HTTPRequestPreparing {
  init(tokens: Tokens) {}
  func willSend(_ request: HTTPRequest) async throws -> HTTPRequest { request }
}

enum archive {
  struct Object {
    let hasChanged: Bool
    let size: Int
    let tag: String
    let pieces: AsyncStream<Data>
  }
  static func object(_ key: String, unlessTag: String?) async throws -> Object {
    Object(hasChanged: false, size: 0, tag: "", pieces: AsyncStream { nil })
  }
}

let store = RedisStore(RedisConfiguration(nodes: [.tcp("127.0.0.1")]))
let key = ImageStoreKey(.encoded, "a")
@Sendable func render() async throws -> ImageStoreEntry { ImageStoreEntry(metadata: Data(), body: Data()) }
@Sendable func keep(_ entry: ImageStoreEntry, _ lease: FillLease?) async throws {}

// MARK: gtk
@MainActor let widget: UnsafeMutablePointer<GtkWidget> = gtk_window_new()
@MainActor let window = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
@MainActor let button: UnsafeMutablePointer<GtkWidget> = gtk_button_new()
@MainActor let list: UnsafeMutablePointer<GtkWidget> = gtk_list_box_new()
@MainActor let picture: UnsafeMutablePointer<GtkWidget> = gtk_picture_new()
@MainActor let box = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkBox.self)

// MARK: uikit
let pipeline = ImagePipeline.shared
let hash = ThumbHash([])!
let path = "/a.jpg"
@MainActor let imageView = UIImageView(frame: .zero)
@MainActor let button = UIButton(frame: .zero)

// MARK: appkit
let pipeline = ImagePipeline.shared
@MainActor let imageView = NSImageView(frame: .zero)
@MainActor let button = NSButton(frame: .zero)
let otherURL = url

// MARK: Sources/Service/OzuSharedStores/Leases/FillCoordinator.swift
let redis = RedisStore(RedisConfiguration(nodes: [.tcp("127.0.0.1")]))
@Sendable func store(_ entry: ImageStoreEntry, under lease: FillLease?) async throws {}

// MARK: Sources/Service/OzuSharedStores/ClientStore.swift
struct ValkeyKey { init(_ name: String) {} }
struct ByteBuffer {
  let readableBytesView: Data
  init(_ bytes: Data) { readableBytesView = bytes }
}
struct Client: Sendable {
  func get(_ key: ValkeyKey) async throws -> Data? { nil }
  func set(_ key: ValkeyKey, value: Data, expiration: Expiration) async throws {}
  enum Expiration { case seconds(Int) }
  func unlink(keys: [ValkeyKey]) async throws {}
}
let client = Client()

// MARK: Sources/Core/OzuHTTP/Caching/HTTPCachePolicy.swift
let responses: [HTTPStoredResponse] = []
let request = HTTPRequest(url: url)

// MARK: Sources/Apps/OzuDemonstration/NumberedPicture.swift
@Sendable func index(of request: LoopbackRequest) -> Int { 42 }
let screenshot = picture.bitmap
let cell = PixelRectangle(x: 0, y: 0, width: 10, height: 10)

// MARK: Sources/Testing/OzuTesting/FakeHTTPClient.swift
let broken = url

// MARK: Sources/Apps/OzuDemonstration/LoopbackServer/LoopbackServer.swift
let client = DefaultHTTPClient.shared

// MARK: Sources/Core/OzuImaging/Decoding/IncrementalDecoder.swift
let chunks = AsyncStream<Data> { nil }
let wantsPreview = true

// MARK: Sources/Core/OzuImaging/Processing/ImageProcessing.swift
let resize = Resize(PixelSize(width: 10, height: 10))

// MARK: Sources/Core/OzuImaging/Pixels/BGRABitmap.swift
let source = BGRABitmap(picture.bitmap)

// MARK: Sources/Core/OzuImaging/Pixels/Bitmap.swift
let bitmap = picture.bitmap
func show(_ bytes: UnsafeRawPointer?, _ count: Int, _ owner: UnsafeMutableRawPointer) {}

// MARK: Sources/Service/OzuServer/Address/SignedAddresses.swift
let key = "0a"

// MARK: Sources/Service/OzuServer/Service/ImageService.swift
struct MyAddresses: PictureAddressing {
  func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture {
    throw AddressRefusal(status: 404, reason: "")
  }
}

// MARK: Sources/Service/OzuServer/Listener/ServiceListener.swift
let service = try ImageService(addressing: SignedAddresses(AddressRules()))

// MARK: Sources/Service/OzuServer/Playground/Playground.swift
let addresses = SignedAddresses(AddressRules())
var configuration = ImageService.Configuration()
var listenerConfiguration = ServiceListener.Configuration()

// MARK: Sources/Core/OzuCaching/Memory/MemoryCache.swift
let key = CacheKey("a")

// MARK: Sources/Core/OzuCaching/Disk/DiskCache.swift
func synchronous() throws {
let url = "https://example.com/a.jpg"
let bytes = data

// MARK: Sources/Core/OzuCaching/Disk/DiskCacheEntries.swift
let cache = try await DiskCache(directory: "/tmp/ozu")

// MARK: Sources/Core/Ozu/Events/ImagePipelineObserving.swift
struct Metrics: Sendable { func count(slow: String) {} }
let metrics = Metrics()

// MARK: Sources/Core/Ozu/Display/ImageDisplaying.swift
struct Texture { init(_ bitmap: Bitmap) {} }
@MainActor class ToolkitView {
  var bounds = (width: 1.0, height: 1.0)
  var window = (scale: 1.0, id: 0)
  var texture: Texture?
  func layout() {}
}

// MARK: Sources/Core/Ozu/Display/ImagePresenting.swift
struct Presenting: ImagePresenting { let images: ImageBinding }
let view = Presenting(images: ImageBinding(FakeImageView(DisplaySize(width: 1, height: 1))))
let hash = ThumbHash([])!

// MARK: Sources/Core/Ozu/Display/Zoom/ZoomModel.swift
struct Canvas { let sizeInPixels = PixelSize(width: 1, height: 1); func redraw() {} }
let view = Canvas()

// MARK: Sources/Core/Ozu/Fetching/ImageFetching.swift
enum User { typealias ID = Int }
enum database { static func avatar(of user: Int) async throws -> Data { Data() } }

// MARK: Sources/Core/Ozu/Request/ImageSource.swift
struct AssetBundle {}
let bundle = AssetBundle()
struct AssetFetcher: ImageFetching {
  let key: String
  init(_ bundle: AssetBundle, name: String) { key = name }
  func fetch() async throws -> FetchedImage { .data(Data()) }
}
