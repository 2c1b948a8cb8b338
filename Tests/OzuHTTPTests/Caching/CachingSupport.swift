@testable import OzuHTTP

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Noon of an ordinary day; all tables count from here.
let noon = Date(timeIntervalSince1970: 1_767_355_200)

/// A date field's text, so many seconds from noon.
func dateText(_ offset: Double = 0) -> String {
  HTTPDate.string(from: noon.addingTimeInterval(offset))
}

/// A 200 that came at noon with these fields; `Date` says noon unless they say otherwise.
func storedResponse(
  _ headers: HTTPHeaders, status: Int = 200, selecting: HTTPHeaders = [:], delay: Double = 0
) -> HTTPStoredResponse {
  var headers = headers
  if !headers.contains(name: "Date") { headers.add(name: "Date", value: dateText()) }
  return HTTPStoredResponse(
    status: status, headers: headers, url: url("https://example.com/a"),
    requestDate: noon.addingTimeInterval(-delay), responseDate: noon, selectingHeaders: selecting)
}

func request(_ headers: HTTPHeaders = [:], method: HTTPMethod = .get) -> HTTPRequest {
  HTTPRequest(url: url("https://example.com/a"), method: method, headers: headers)
}

func head(_ status: Int = 200, _ headers: HTTPHeaders = [:]) -> HTTPResponseHead {
  HTTPResponseHead(status: status, headers: headers, url: url("https://example.com/a"))
}
