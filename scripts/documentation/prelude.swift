// What the samples of pages use without declaring it. Each page gets the part "all" and the one of its target, see check_samples.py.

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
func use(_ value: some Any) {}
func report(_ value: some Any) {}

// MARK: linux
let pipeline = ImagePipeline.shared
let request = ImageRequest(url: url)
let thumbnail = request
let (upcoming, passed) = ([request], [request])
let urls = [url]
let picture = Picture(Bitmap(size: PixelSize(1, 1)) { _, _ in .white })
let square = picture
let codecs = CodecRegistry.standard
let hash = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
let (secret, name) = ("secret", "name")
let data = Data()
let body = data
let files = MemoryFileSystem()
let isMetered: @Sendable () -> Bool = { false }
@MainActor let view = FakeImageView(DisplaySize(40, 30))
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
@MainActor let box = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkBox.self)

// MARK: uikit
let pipeline = ImagePipeline.shared
let hash = ThumbHash([])!
@MainActor let imageView = UIImageView(frame: .zero)
@MainActor let button = UIButton(frame: .zero)

// MARK: appkit
let pipeline = ImagePipeline.shared
@MainActor let imageView = NSImageView(frame: .zero)
