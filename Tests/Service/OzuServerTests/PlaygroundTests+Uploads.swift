import Foundation
import Ozu
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

extension PlaygroundTests {
  @Test("an uploaded file is processed as requested, and neither the file nor the result is stored")
  func uploads() async throws {
    let store = MemoryImageStore()
    let fixture = try Self.fixture(stores: [store])
    let key = try await Self.upload(try ServiceFixture.picture(), fixture)
    for _ in 0..<2 {
      let answer = await fixture.get(
        "/playground/picture?upload=\(key)&options=pr:thumb&format=webp", Self.bearer)
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp")
      #expect(answer.headers["Cache-Control"] == "no-store")
      #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
      #expect(answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
      #expect(try CodecRegistry.standard.header(of: answer.body).storedSize == PixelSize(16, 12))
    }
    await fixture.service.pipeline.flush()
    #expect(fixture.service.pipeline.statistics.decodes == 2 && store.keys.isEmpty)
    #expect(await fixture.get("/playground/picture?upload=\(key)", [:]).status == 401)
    #expect(await fixture.get("/playground/picture?upload=other", Self.bearer).status == 404)
    #expect(await fixture.get("/playground/picture?upload=\(key)&options=raw:1", Self.bearer).status == 400)
    let text = try await Self.upload(Data("no picture".utf8), fixture)
    #expect(await fixture.get("/playground/picture?upload=\(text)", Self.bearer).status == 422)
    #expect(await fixture.get("/playground/picture?upload=\(key)", Self.bearer, method: "POST").status == 405)
    #expect(await fixture.get("/playground/uploads", Self.bearer).status == 405)
    let empty = await fixture.get("/playground/uploads", Self.bearer, method: "POST")
    #expect(empty.status == 400)
  }

  @Test(
    "a picture of an uploaded file takes a place, has the same time limit as others, and releases the place")
  func places() async throws {
    let page = try Playground(SignedAddresses(Self.rules), token: Self.secret)
    let fixture = try ServiceFixture {
      $0.playground = page
      $0.maximumPendingCount = 2
    }
    let (good, bad) = (
      try await Self.upload(try ServiceFixture.picture(), fixture),
      try await Self.upload(Data("no picture".utf8), fixture)
    )
    let admission = fixture.service.admission
    #expect(admission.enter(nil))
    let refused = await fixture.get("/playground/picture?upload=\(good)", Self.bearer)
    #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
    admission.leave(nil)
    for (key, status) in [(good, 200), (bad, 422), (good, 200)] {
      #expect(await fixture.get("/playground/picture?upload=\(key)", Self.bearer).status == status)
      #expect(admission.count == 0)
    }
    let picture = try page.addresses.uploadedPicture(
      Data(), PlaygroundQuery("/p?upload=a"), accept: nil, now: Date(), within: .seconds(7))
    #expect(picture.request.deadline == .seconds(7) && picture.request.cachePolicy == .bypass)
  }

  @Test("at most sixteen query fields are read")
  func fields() {
    let others = (0..<15).map { "a\($0)=b&" }.joined()
    #expect(PlaygroundQuery("/p?\(others)options=w:9")["options"] == "w:9")
    #expect(PlaygroundQuery("/p?a=b&\(others)options=w:9")["options"].isEmpty)
  }

  @Test("the exact limit on an upload also holds without the listener")
  func uploadSizes() async throws {
    let page = try Playground(SignedAddresses(Self.rules), token: Self.secret)
    let fixture = try ServiceFixture {
      $0.playground = page
      $0.retryAfter = 7
    }
    var request = ServiceRequest(method: "POST", target: "/playground/uploads", headers: Self.bearer)
    request.body = Data(count: Playground.maximumUploadByteCount)
    #expect(await fixture.service.respond(to: request).status == 200)
    request.body.append(0)
    #expect(await fixture.service.respond(to: request).status == 413)
    #expect(page.uploadStore.byteCount == Playground.maximumUploadByteCount)
    let uploads = try #require(fixture.service.uploads)
    #expect(uploads.path == request.target)
    #expect(uploads.maximumByteCount == Playground.maximumUploadByteCount)
    // Two uploads of the largest size can be received at the same time.
    request.body = Data()
    #expect(uploads.refusal(of: request, 16 << 20, beside: 16 << 20) == nil)
    let refusal = uploads.refusal(of: request, 16 << 20, beside: 16 << 20 + 1)
    #expect(refusal?.status == 503 && refusal?.headers["Retry-After"] == "7")
  }

  @Test(
    "options cannot replace an uploaded file by an address",
    arguments: [
      "w:9/plain/https:%2F%2Forigin.test%2Fpictures%2Fa.png", "plain/https:%2F%2Forigin.test%2Fa.png",
      "w:9%3F",
      "w:9%40png", "w:9%20",
    ])
  func smuggledSources(options: String) async throws {
    let fixture = try Self.fixture()
    try fixture.serve("pictures/a.png")
    let key = try await Self.upload(try ServiceFixture.picture(), fixture)
    let answer = await fixture.get("/playground/picture?upload=\(key)&options=\(options)", Self.bearer)
    #expect(answer.status == 400)
    #expect(fixture.service.pipeline.statistics.networkLoads == 0)
  }

  @Test("two uploaded files are two pictures, with all options")
  func differentUploads() async throws {
    let fixture = try Self.fixture()
    var bodies: Set<Data> = []
    for number in 1...2 {
      let key = try await Self.upload(try ServiceFixture.picture(number), fixture)
      let answer = await fixture.get("/playground/picture?upload=\(key)&options=w:9&format=png", Self.bearer)
      #expect(answer.status == 200)
      bodies.insert(answer.body)
    }
    #expect(bodies.count == 2)
    // One may still be in work when the other is requested.
    let addresses = SignedAddresses(Self.rules)
    let keys = try ["a", "b"].map { key in
      let picture = try addresses.uploadedPicture(
        Data(), PlaygroundQuery("/playground/picture?upload=\(key)&options=w:9"), accept: nil, now: Date(),
        within: .seconds(30))
      return fixture.service.pipeline.fileRequest(for: picture.request, as: picture.output).storeKey
    }
    #expect(keys[0] != keys[1])
  }

  @Test("an uploaded file is removed from memory after its time limit, by any later request")
  func expiry() async throws {
    let fixture = try Self.fixture()
    let uploadStore = try #require(fixture.service.configuration.playground).uploadStore
    let key = try await Self.upload(try ServiceFixture.picture(), fixture)
    fixture.clock.advance(by: .seconds(599))
    #expect(await fixture.get("/playground/picture?upload=\(key)", Self.bearer).status == 200)
    fixture.clock.advance(by: .seconds(599))
    #expect(await fixture.get("/health").status == 200 && uploadStore.byteCount > 0)
    fixture.clock.advance(by: .seconds(1))
    #expect(await fixture.get("/health").status == 200 && uploadStore.byteCount == 0)
    #expect(await fixture.get("/playground/picture?upload=\(key)", Self.bearer).status == 404)
  }

  @Test("the bytes of uploaded files are bounded: the least recently used file is removed")
  func budget() {
    let uploadStore = UploadStore(byteBudget: 100, lifetime: .seconds(60))
    let now = ContinuousClock.now
    let first = uploadStore.add(Data(count: 40), at: now) ?? ""
    let second = uploadStore.add(Data(count: 40), at: now) ?? ""
    #expect(uploadStore.data(for: first, at: now) != nil)
    let third = uploadStore.add(Data(count: 60), at: now) ?? ""
    #expect(uploadStore.data(for: second, at: now) == nil)
    #expect(uploadStore.data(for: first, at: now) != nil && uploadStore.data(for: third, at: now) != nil)
    #expect(uploadStore.add(Data(count: 101), at: now) == nil && uploadStore.byteCount == 100)
    for _ in 0..<1000 { _ = uploadStore.add(Data(), at: now) }
    #expect(uploadStore.data(for: third, at: now) == nil && uploadStore.byteCount == 0)
  }

  @Test("the number of uploaded files is bounded too, and each file has its own time limit")
  func uploadCount() {
    let uploadStore = UploadStore(byteBudget: 1000, lifetime: .seconds(60))
    let now = ContinuousClock.now
    let keys = (0..<UploadStore.maximumCount).map {
      uploadStore.add(Data(count: 1), at: now + .seconds($0)) ?? ""
    }
    #expect(Set(keys).count == UploadStore.maximumCount && keys.allSatisfy { $0.utf8.count >= 22 })
    #expect(uploadStore.byteCount == UploadStore.maximumCount)
    #expect(uploadStore.data(for: keys[0], at: now + .seconds(59)) != nil)
    _ = uploadStore.add(Data(count: 1), at: now + .seconds(59))
    #expect(uploadStore.byteCount == UploadStore.maximumCount)
    #expect(uploadStore.data(for: keys[1], at: now + .seconds(59)) == nil)
    #expect(uploadStore.data(for: keys[0], at: now + .seconds(59)) != nil)
    // The third was last used at the second second.
    uploadStore.expire(at: now + .seconds(62))
    #expect(uploadStore.data(for: keys[2], at: now + .seconds(62)) == nil)
    #expect(uploadStore.data(for: keys[3], at: now + .seconds(62)) != nil)
    // An upload expires also without a call of `expire`.
    #expect(uploadStore.data(for: keys[4], at: now + .seconds(64)) == nil)
  }
}
