import OzuBase
import Testing

@testable import OzuHTTP

@Suite("A cache of many users (RFC 9111 §3, §3.5, §5.2.2)")
struct HTTPSharedCacheTests {
  private static func policy(isShared: Bool) -> HTTPCachePolicy {
    var policy = HTTPCachePolicy()
    policy.isShared = isShared
    return policy
  }

  @Test(
    "a response for one user is stored only for this user",
    arguments: [
      (control: "private, max-age=60", authorization: false, isShareable: false),
      ("private=\"Set-Cookie\", max-age=60", false, false),
      ("max-age=60", false, true),
      ("max-age=60", true, false),
      ("max-age=60, must-revalidate", true, true),
      ("public", true, true),
      ("s-maxage=60", true, true),
    ])
  func storing(control: String, authorization: Bool, isShareable: Bool) {
    let head = head(200, ["Cache-Control": control])
    let asked = request(authorization ? ["Authorization": "Bearer x"] : [:])
    #expect(Self.policy(isShared: false).reasonNotToStore(head, for: asked) == nil)
    #expect((Self.policy(isShared: true).reasonNotToStore(head, for: asked) == nil) == isShareable)
    var aggressive = HTTPCachePolicy.ignoring(lifetime: .seconds(60))
    aggressive.isShared = true
    #expect((aggressive.reasonNotToStore(head, for: asked) == nil) == isShareable)
  }

  @Test("a status is stored for its s-maxage")
  func explicitLifetime() {
    let head = head(302, ["Cache-Control": "s-maxage=9"])
    #expect(Self.policy(isShared: false).reasonNotToStore(head, for: request()) != nil)
    #expect(Self.policy(isShared: true).reasonNotToStore(head, for: request()) == nil)
  }

  @Test(
    "s-maxage counts before max-age and Expires",
    arguments: [
      (control: "s-maxage=60, max-age=9", lifetime: 60.0, source: HTTPFreshness.Source.sharedMaxAge),
      ("max-age=9", 9, .maxAge),
      ("s-maxage=soon, max-age=9", 0, .sharedMaxAge),
    ])
  func lifetimes(control: String, lifetime: Double, source: HTTPFreshness.Source) {
    let freshness = Self.policy(isShared: true)
      .freshness(of: storedResponse(["Cache-Control": control, "Expires": dateText(500)]))
    #expect(freshness.lifetime == lifetime)
    #expect(freshness.source == source)
  }

  @Test(
    "s-maxage and proxy-revalidate forbid what is stale",
    arguments: ["s-maxage=40", "max-age=40, proxy-revalidate", "max-age=40"])
  func stale(control: String) {
    let stored = storedResponse([
      "Cache-Control": control + ", stale-while-revalidate=600, stale-if-error=600"
    ])
    let later = noon.addingTimeInterval(100)
    for isShared in [true, false] {
      let policy = Self.policy(isShared: isShared)
      let mayBeStale = !isShared || control == "max-age=40"
      let decision = policy.decide(stored: [stored], request: request(), now: later)
      #expect(decision.action == (mayBeStale ? .serveAndValidate : .validate))
      let reason = policy.reasonToServeStale(stored, request: request(), isDisconnected: true, now: later)
      #expect((reason != nil) == mayBeStale)
      #expect(policy.mayUseOffline(CacheControl(stored.headers)) == mayBeStale)
    }
  }
}
