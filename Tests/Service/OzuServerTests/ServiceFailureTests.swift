import OzuBase
import OzuHTTP
import Testing

@testable import Ozu
@testable import OzuServer

@Suite("Answers to errors")
struct ServiceFailureTests {
  private func status(_ error: ImageError) -> Int { ServiceFailure(error, failureLifetime: 60).status }

  @Test("each kind of error has its own status", arguments: ImageError.Kind.all)
  func kinds(_ kind: ImageError.Kind) {
    #expect(status(ImageError(kind, "a")) != 500)
  }

  @Test("404 and 410 of the origin become 404, which may be cached; other answers become 502 with the status")
  func origin() {
    for code in [404, 410] {
      let failure = ServiceFailure(.httpStatus(code, source: "a"), failureLifetime: 60)
      #expect(failure.status == 404 && failure.lifetime == 60)
    }
    let other = ServiceFailure(.httpStatus(503, source: "a"), failureLifetime: 60)
    #expect(other.status == 502 && other.lifetime == 0 && other.reason.contains("503"))
  }

  @Test("a decoder that cannot be started is the service's lack, and not the picture's fault")
  func lack() {
    let lack = ServiceFailure(
      .decoderFailed("a", type: .png, failure: .unavailable("fork")), failureLifetime: 60, retryAfter: 7)
    #expect(lack.status == 503 && lack.lifetime == 0 && lack.retryAfter == 7)
    #expect(status(.decoderFailed("a", type: .png, failure: .crashed(signal: 11))) == 422)
    #expect(status(.unreadableFile("a", code: EMFILE)) == 503)
    #expect(status(.unreadableFile("a", code: EACCES)) == 502)
  }

  @Test("a host that the rules refuse gives 403; another failure of the transport gives 502")
  func transport() {
    #expect(status(.transport("a", underlying: HTTPError(.hostNotAllowed("b")))) == 403)
    #expect(status(.transport("a", underlying: HTTPError(.connectionLost))) == 502)
  }
}
