/// A page of a bucket's listing (ListObjectsV2): the keys, and the token of the next page.
///
/// Not an XML parser: the required elements have no attributes and contain only text.
package struct S3Listing {
  package var keys: [String]
  var nextToken: String?

  /// - Throws: `S3Error.malformedListing`.
  package init(_ text: String) throws(S3Error) {
    guard text.contains("<ListBucketResult") else { throw .malformedListing("it is not a ListBucketResult") }
    keys = Self.texts(of: "Key", in: text)
    let isTruncated = Self.texts(of: "IsTruncated", in: text).first == "true"
    nextToken = Self.texts(of: "NextContinuationToken", in: text).first
    if isTruncated, nextToken == nil { throw .malformedListing("it has no token for the next page") }
    if !isTruncated { nextToken = nil }
  }

  /// The texts of all elements with a name.
  static func texts(of name: String, in text: String) -> [String] {
    var rest = text[...]
    var texts: [String] = []
    while let begin = rest.firstRange(of: "<\(name)>") {
      rest = rest[begin.upperBound...]
      guard let end = rest.firstRange(of: "</\(name)>") else { break }
      texts.append(unescaped(rest[..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return texts
  }

  private static func unescaped(_ text: Substring) -> String {
    guard text.contains("&") else { return String(text) }
    var result = String(text)
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ] {
      result = result.replacing(entity, with: character)
    }
    return result
  }
}
