#if os(Linux)
  import Foundation
  import OzuTesting

  @testable import OzuHTTP

  /// Unusual statuses: the caller decides what they mean.
  enum HostileStatuses {
    static let cases = plain + unasked

    private static let plain: [HostileCase] = [
      205, 300, 401, 404, 407, 416, 426, 429, 451, 500, 503, 599, 999,
    ].map {
      status in
      .answer(
        "status-\(status)", "\(status) with a body", .taken(status),
        LoopbackResponse(status: status, body: HostileStage.picture))
    }

    private static let unasked: [HostileCase] = [
      .answer("empty-200", "200 without a byte", .taken(200, .empty), .ok(Data())),
      .answer("unasked-204", "204", .taken(204, .empty), .status(204)),
      .answer("unasked-304", "304 nobody asked for", .taken(304, .empty), .status(304)),
      .answer(
        "unasked-206", "206 nobody asked for", .taken(206),
        LoopbackResponse(
          status: 206, headers: ["Content-Range": "bytes 0-3697/9999"], body: HostileStage.picture)),
      .answer("redirect-no-location", "302 without `Location`", .taken(302, .empty), .status(302)),
      .answer(
        "redirect-304", "304 with `Location`", .taken(304, .empty), .status(304, headers: ["Location": "/b"])),
      .answer(
        "redirect-305", "305 with `Location`", .taken(305, .empty), .status(305, headers: ["Location": "/b"])),
    ]
  }
#endif
