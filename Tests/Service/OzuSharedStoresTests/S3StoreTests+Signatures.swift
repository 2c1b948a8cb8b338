import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

extension S3StoreTests {
  /// AWS, "Signature Calculations for the Authorization Header", examples of the S3 API Reference.
  private static let published:
    [(method: String, path: String, query: String?, HTTPHeaders, body: String, signature: String)] = [
      (
        "GET", "/test.txt", nil, ["Range": "bytes=0-9"], "",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
      ),
      (
        "PUT", "/test%24file.text", nil,
        ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
        "Welcome to Amazon S3.", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
      ),
      ("GET", "/", "lifecycle", [:], "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
      (
        "GET", "/", "max-keys=2&prefix=J", [:], "",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
      ),
    ]

  @Test("the fake service computes the signatures that AWS has published", arguments: 0..<4)
  func publishedSignatures(number: Int) {
    let (method, path, query, fields, body, signature) = Self.published[number]
    let keys = SignatureV4(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1")
    var headers = fields
    headers["Host"] = "examplebucket.s3.amazonaws.com"
    headers["x-amz-date"] = "20130524T000000Z"
    headers["x-amz-content-sha256"] = SHA256.hexDigest(of: body.utf8)
    let signed = headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    func authorization(_ signature: String) -> String {
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=\(signed),Signature=\(signature)"
    }
    for (signature, isRight) in [(signature, true), (String(signature.reversed()), false)] {
      headers["Authorization"] = authorization(signature)
      let fault = keys.fault(
        method: method, path: path, query: query, headers: headers, body: Data(body.utf8))
      #expect((fault == nil) == isRight, "\(fault ?? "")")
    }
  }

  /// The requests of a store as botocore 1.44.8 signs them (`S3SigV4Auth`, at 127.0.0.1:9000, with payloads signed).
  private static let botocore:
    [(method: String, path: String, query: String?, HTTPHeaders, body: String, signature: String)] = [
      (
        "GET", "/bucket/ozu/encoded/00ff", nil, [:], "",
        "42081c24b1e59a1fd261e97bf42c4be1ca5de0ff94992f0390c4c1c86e52559d"
      ),
      (
        "GET", "/bucket/ozu/encoded/00ff", nil, ["Range": "bytes=0-8191"], "",
        "9e147bf84b75ecfd71caf4394673acd7074310a151fe8b4436b98cdebc4a5ff7"
      ),
      (
        "PUT", "/bucket/ozu/encoded/00ff", nil,
        ["Content-Type": "application/octet-stream", "If-None-Match": "*"], "picture",
        "777a433e6d795827d74a981115966994621fa54164d71d764949e66a95eb2ebb"
      ),
      (
        "HEAD", "/bucket/ozu/encoded/00ff", nil, ["X-Amz-Security-Token": "a/session+token=="], "",
        "6815802e21aa868c1a9f87dfb516251a30932118127e443595e4010f8052524a"
      ),
      (
        "DELETE", "/bucket/ozu/original/a-b_c.d~e", nil, [:], "",
        "12e3152d10aaf014724066a7867039a8c870d709551ca64fd9fc990d5aea8bb5"
      ),
      (
        "GET", "/bucket", "list-type=2&prefix=ozu%2Fencoded%2F", [:], "",
        "f7e2d95bde4e3450cb5e284151a843975192eaab9c5dd14ccf2e6ac8391f529a"
      ),
      (
        "GET", "/bucket", "continuation-token=a%20%26%2B%3D%2F&list-type=2&prefix=ozu%2F", [:], "",
        "a8dc4ff7d6718dc7e6197638209765f87fd8201293e6d787eb05f5671926b79a"
      ),
    ]

  @Test("the fake service computes the signatures that botocore makes", arguments: 0..<7)
  func botocoreSignatures(number: Int) {
    let (method, path, query, fields, body, signature) = Self.botocore[number]
    var headers = fields
    headers["Host"] = "127.0.0.1:9000"
    headers["X-Amz-Date"] = "20260304T050607Z"
    headers["X-Amz-Content-SHA256"] = SHA256.hexDigest(of: body.utf8)
    let signed = headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    headers["Authorization"] =
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260304/eu-central-1/s3/aws4_request, "
      + "SignedHeaders=\(signed), Signature=\(signature)"
    let fault = FakeS3.credentials.fault(
      method: method, path: path, query: query, headers: headers, body: Data(body.utf8))
    #expect(fault == nil)
  }
}
