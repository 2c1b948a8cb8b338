import Foundation
import Ozu
import OzuHTTP
import OzuServer
import OzuSharedStores
import Testing

/// The samples of the articles, copied unchanged. Only the public API of the modules is imported.
@Suite("The samples of the documentation of the service work")
struct ServiceDocumentationTests {
  private let key = String(repeating: "0a", count: 32)
  private let salt = "0b"

  @Test("A service for untrusted clients")
  func making() async throws {
    var rules = AddressRules(keys: [try AddressKey(hexKey: key, salt: salt)])
    rules.sources = ["https://*.example.com/images/"]
    try rules.definePreset("thumb", options: "rs:fill:320:240/q:70")

    var configuration = ImageService.Configuration(pipeline: .service(hosts: rules.sourceRule))
    configuration.log = { record in print(record.jsonLine) }
    let redis = RedisStore(RedisConfiguration(nodes: [.tcp("127.0.0.1", port: 1)]))
    configuration.pipeline.caching.stores = [redis]
    configuration.leases = redis
    let service = try ImageService(addressing: SignedAddresses(rules), configuration: configuration)

    let path = try SignedAddresses(rules).path(
      of: #require(URL(string: "https://a.example.com/images/b.png")), options: "rs:fill:320:240")
    #expect(await service.respond(to: ServiceRequest(method: "GET", target: path + "x")).status == 403)
    let listener = try ServiceListener(service, host: "127.0.0.1", port: 0)
    service.beginDraining()
    await listener.stop(within: .seconds(20))
    #expect(await Hummingbird.answer(service, "/health").status.code == 200)
    #expect(await Vapor.answer(service, path + "x").status.code == 403)
  }
}

/// Stand-ins for the types of Hummingbird and swift-http-types that the article uses.
private enum Hummingbird {
  struct HTTPField {
    struct Name {
      let rawName: String
      init?(_ name: String) { rawName = name }
    }
    let name: Name
    let value: String
  }
  struct HTTPFields: Sequence {
    private var fields: [HTTPField] = []
    mutating func append(_ field: HTTPField) { fields.append(field) }
    func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
  }
  enum HTTPResponse {
    struct Status { let code: Int }
  }
  struct ByteBuffer { init(bytes: some Sequence<UInt8>) {} }
  struct ResponseBody { init(byteBuffer: ByteBuffer) {} }
  struct Response {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let body: ResponseBody
  }
  struct Request {
    struct Method { let rawValue: String }
    struct URI { let string: String }
    let method: Method
    let uri: URI
    let headers: HTTPFields
  }
  struct Router {
    private(set) var handler: (@Sendable (Request, Int) async throws -> Response)?
    mutating func get(_ path: String, _ handler: @escaping @Sendable (Request, Int) async throws -> Response)
    {
      self.handler = handler
    }
  }

  static func answer(_ service: ImageService, _ target: String) async -> Response {
    var router = Router()
    router.get("**") { request, _ -> Response in
      let headers = request.headers.map { OzuHTTP.HTTPHeaders.Field(name: $0.name.rawName, value: $0.value) }
      let answer = await service.respond(
        to: ServiceRequest(
          method: request.method.rawValue, target: request.uri.string, headers: OzuHTTP.HTTPHeaders(headers)))
      var fields = HTTPFields()
      for field in answer.headers {
        if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
      }
      return Response(
        status: HTTPResponse.Status(code: answer.status), headers: fields,
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
    let request = Request(method: .init(rawValue: "GET"), uri: .init(string: target), headers: HTTPFields())
    return try! await router.handler!(request, 0)
  }
}

/// Stand-ins for the types of Vapor and NIOHTTP1 that the article uses.
private enum Vapor {
  enum NIOHTTP1 {
    struct HTTPHeaders: Sequence {
      private let fields: [(name: String, value: String)]
      init(_ fields: [(String, String)] = []) { self.fields = fields.map { ($0.0, $0.1) } }
      func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
    }
  }
  struct HTTPResponseStatus {
    let code: Int
    init(statusCode: Int) { code = statusCode }
  }
  struct Response {
    struct Body { init(data: Data) {} }
    let status: HTTPResponseStatus
    let headers: NIOHTTP1.HTTPHeaders
    let body: Body
  }
  struct Request {
    struct Method { let rawValue: String }
    struct URI { let string: String }
    let method: Method
    let url: URI
    let headers: NIOHTTP1.HTTPHeaders
    let remoteAddress: String?
  }
  enum HTTPMethod { case GET }
  enum PathComponent { case catchall }
  struct Application {
    private(set) var handler: (@Sendable (Request) async throws -> Response)?
    mutating func on(
      _ method: HTTPMethod, _ path: PathComponent,
      use handler: @escaping @Sendable (Request) async throws -> Response
    ) {
      self.handler = handler
    }
  }

  static func answer(_ service: ImageService, _ target: String) async -> Response {
    var app = Application()
    app.on(.GET, .catchall) { request async -> Response in
      let headers = request.headers.map { OzuHTTP.HTTPHeaders.Field(name: $0.name, value: $0.value) }
      let answer = await service.respond(
        to: ServiceRequest(
          method: request.method.rawValue, target: request.url.string, headers: OzuHTTP.HTTPHeaders(headers),
          remoteAddress: request.remoteAddress?.description))
      return Response(
        status: HTTPResponseStatus(statusCode: answer.status),
        headers: NIOHTTP1.HTTPHeaders(answer.headers.map { ($0.name, $0.value) }),
        body: Response.Body(data: answer.body))
    }
    let request = Request(
      method: .init(rawValue: "GET"), url: .init(string: target), headers: NIOHTTP1.HTTPHeaders(),
      remoteAddress: nil)
    return try! await app.handler!(request)
  }
}
