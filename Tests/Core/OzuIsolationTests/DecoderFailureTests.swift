import OzuImaging
import Testing

@Suite("Why a decoder in a process of its own has no answer")
struct DecoderFailureTests {
  static let texts: [(DecoderFailure, String)] = [
    (.crashed(signal: 11), "crashed by SIGSEGV"),
    (.crashed(signal: 31), "made a forbidden system call (SIGSYS)"),
    (.crashed(signal: 40), "crashed by signal 40"),
    (.ended(status: 3), "ended without an answer (status 3)"),
    (.stopped(.time(.milliseconds(2500))), "took longer than 2.5 s"),
    (.stopped(.cpuTime(.seconds(5))), "took longer than 5 s of processor time"),
    (.stopped(.memory(byteCount: 256 << 20)), "needed more than 256 MB"),
    (.wrongAnswer("no magic"), "gave a wrong answer: no magic"),
    (.unavailable("no seccomp"), "is not available: no seccomp"),
    (.other("left"), "left"),
  ]

  @Test("the text names the decoder and what happened", arguments: texts)
  func text(_ failure: DecoderFailure, _ text: String) {
    #expect(ImageDecodingError.decoderFailed(.svg, failure).description == "the SVG decoder \(text)")
  }
}
