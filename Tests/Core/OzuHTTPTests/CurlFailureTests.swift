#if os(Linux)
  import CCurl
  import Glibc
  import Testing

  @testable import OzuHTTP

  @Suite("Causes from libcurl's codes")
  struct CurlFailureTests {
    @Test(
      "each code has its cause",
      arguments: [
        (CurlFailure(code: CURLE_COULDNT_RESOLVE_HOST), .nameNotResolved),
        (CurlFailure(code: CURLE_COULDNT_CONNECT, systemError: ECONNREFUSED), .connectionRefused),
        (
          CurlFailure(code: CURLE_COULDNT_CONNECT, systemError: EHOSTUNREACH, message: "x"),
          .connectionFailed("no route to host")
        ),
        (CurlFailure(code: CURLE_COULDNT_CONNECT, message: "x"), .connectionFailed("x")),
        (
          CurlFailure(code: CURLE_COULDNT_CONNECT, systemError: EHOSTUNREACH, proxy: "p:1"),
          .proxyFailed(proxy: "p:1", why: "cannot be reached: no route to host")
        ),
        (
          CurlFailure(code: CURLE_COULDNT_RESOLVE_PROXY, message: "x", proxy: "p:1"),
          .proxyFailed(proxy: "p:1", why: "has a name that could not be resolved")
        ),
        (CurlFailure(code: CURLE_OPERATION_TIMEDOUT), .timedOut(.connect)),
        (CurlFailure(code: CURLE_PEER_FAILED_VERIFICATION, message: "x"), .tlsFailed("x")),
        (
          CurlFailure(code: CURLE_SSL_CACERT_BADFILE, message: "x", authorities: "/a.pem"),
          .tlsFailed("the certificate authorities in /a.pem cannot be read")
        ),
        (CurlFailure(code: CURLE_RECV_ERROR), .connectionLost),
        (
          CurlFailure(code: CURLE_RECV_ERROR, isHeadComplete: true, bodyByteCount: 3, expectedByteCount: 9),
          .bodyTruncated(received: 3, expected: 9)
        ),
        (
          CurlFailure(code: CURLE_PARTIAL_FILE, isHeadComplete: true, bodyByteCount: 3),
          .bodyTruncated(received: 3, expected: nil)
        ),
        (CurlFailure(code: CURLE_HTTP2_STREAM, message: "x"), .protocolError("x")),
        (
          CurlFailure(code: CURLE_HTTP2_STREAM, isHeadComplete: true, bodyByteCount: 3, expectedByteCount: 9),
          .bodyTruncated(received: 3, expected: 9)
        ),
        (CurlFailure(code: CURLE_UNSUPPORTED_PROTOCOL, message: "x"), .protocolError("x")),
        (
          CurlFailure(code: CURLE_OUT_OF_MEMORY, message: "x", isHeadComplete: true),
          .other(code: 27, message: "x")
        ),
        (CurlFailure(code: CURLE_OUT_OF_MEMORY, message: "x"), .other(code: 27, message: "x")),
        (
          CurlFailure(code: CURLE_OUT_OF_MEMORY, isConnected: true),
          .protocolError("a line of the header section is too long")
        ),
        (
          CurlFailure(code: CURLcode(rawValue: 100), isConnected: true),
          .protocolError("a line of the header section is too long")
        ),
        // The wording of a library does not matter.
        (
          CurlFailure(
            code: CURLE_RECV_ERROR, message: "x in chunked-encoding", isConnected: true, isHeadComplete: true),
          .bodyTruncated(received: 0, expected: nil)
        ),
        (
          CurlFailure(code: CURLE_COULDNT_CONNECT, proxy: "p:1", connectStatus: 502),
          .proxyFailed(proxy: "p:1", why: "answered 502")
        ),
      ] as [(CurlFailure, HTTPError.Reason)])
    func causes(failure: CurlFailure, reason: HTTPError.Reason) {
      #expect(failure.reason == reason)
    }
  }
#endif
