import Dispatch
import OzuBase
import Testing

@Suite("Texts without the tables of Foundation")
struct TextTests {
  @Test(
    "percent signs stand for bytes of UTF-8",
    arguments: [
      ("a%20b", "a b"), ("%C3%a4", "ä"), ("ä%41", "äA"), ("", ""), ("%", nil), ("%4", nil), ("%4g", nil),
      ("%C3", nil), ("+", "+"),
    ] as [(String, String?)])
  func percentDecoded(_ text: String, _ expected: String?) {
    #expect(text.percentDecoded == expected)
  }

  @Test(
    "all but letters, digits and what may stay becomes bytes",
    arguments: [
      ("aZ09", "", "aZ09"), ("a b", "", "a%20b"), ("ä@[`{", "", "%C3%A4%40%5B%60%7B"), ("-/", "/", "%2D/"),
      ("\u{1F}", "", "%1F"),
    ] as [(String, String, String)])
  func percentEncoded(_ text: String, _ others: String, _ expected: String) {
    #expect(PercentEncoding.encoded(text, keeping: others) == expected)
    #expect(expected.percentDecoded == text)
  }

  @Test(
    "spaces and tabs go at both ends, line breaks stay",
    arguments: [(" a b\t", "a b"), ("\u{A0}a", "a"), (" \n ", "\n"), ("", ""), (" ", "")]
      as [(String, String)])
  func trimmed(_ text: String, _ expected: String) {
    #expect(text.trimmed == expected)
  }

  @Test(
    "a number has a fixed count of digits after the point",
    arguments: [
      (0.125, 2, "0.12"), (-1.5, 0, "-2"), (1e-7, 12, "0.000000100000"), (.infinity, 1, "inf"),
      (
        1e300, 0,
        "1000000000000000052504760255204420248704468581"
      ),
    ] as [(Double, Int, String)])
  func fixedPoint(_ value: Double, _ digits: Int, _ expected: String) {
    #expect(FixedPoint.text(value, digits: digits).hasPrefix(expected))
  }

  @Test("a thread is equal to itself alone")
  func thread() {
    let identities = Mutex<[ThreadIdentity]>([])
    // Two threads at once, so that none has the identity of one that is over.
    let (begun, over) = (BlockingAnswer<Void>(), BlockingAnswer<Void>())
    DispatchQueue.global().async {
      identities.withLock { $0 = [.current, .current] }
      begun.set(())
      _ = over.wait()
    }
    _ = begun.wait()
    let (own, others) = (ThreadIdentity.current, identities.withLock(\.self))
    over.set(())
    #expect(own == .current)
    #expect(others[0] == others[1] && others[0] != own)
  }

  @Test("tasks wait for a latch until it is opened, and no longer afterwards", arguments: [true, false])
  func latch(isOpenedFirst: Bool) async {
    let latch = AsyncLatch()
    if isOpenedFirst { #expect(latch.open()) }
    let task = Task { await latch.wait() }
    if !isOpenedFirst { #expect(latch.open()) }
    await task.value
    await latch.wait()
    #expect(!latch.open())
  }
}
