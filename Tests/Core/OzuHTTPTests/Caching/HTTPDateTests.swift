import OzuBase
import Testing

@testable import OzuHTTP

@Suite("Dates in header fields (RFC 9110 §5.6.7)")
struct HTTPDateTests {
  @Test(
    "the three forms are read, in any case (RFC 9111 §4.2)",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("sun, 06 NOV 1994 08:49:37 gmt", 784_111_777),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
  func valid(_ text: String, _ seconds: Double) {
    #expect(HTTPDate.date(from: text) == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    "any other text is not a date",
    arguments: [
      "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 EST",
      "Sün, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
      "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
      "Thu, 30 Feb 2023 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 GMT, x", "Sun Nov 6 08:49:37 1994",
      "Sun Nov  6 08:49:37 1994 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
      "Sun, ०६ Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
    ])
  func invalid(_ text: String) {
    #expect(HTTPDate.date(from: text) == nil)
  }

  @Test("a year of two digits is at most 50 years ahead")
  func shortYears() {
    let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026
    let near = HTTPDate.date(from: "Tuesday, 06-Nov-76 08:49:37 GMT", now: now)
    let far = HTTPDate.date(from: "Sunday, 06-Nov-77 08:49:37 GMT", now: now)
    #expect(near.map(HTTPDate.string) == "Fri, 06 Nov 2076 08:49:37 GMT")
    #expect(far.map(HTTPDate.string) == "Sun, 06 Nov 1977 08:49:37 GMT")
  }

  @Test("a written date is parsed to the same date, over four centuries")
  func roundTrip() {
    for day in stride(from: -80_000.0, through: 80_000, by: 97) {
      let date = Date(timeIntervalSince1970: day * 86_400 + 12_345)
      #expect(HTTPDate.date(from: HTTPDate.string(from: date)) == date)
    }
  }
}
