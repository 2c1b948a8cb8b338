import Foundation
import OzuCaching
import OzuCodecs
import OzuImaging

@testable import Ozu
@testable import OzuHTTP
@testable import OzuIsolation

/// Reads bytes as every record of a store, and as every message between processes. One that is believed is the same when it
/// has been written and read again.
@Sendable
func fuzzRecords(_ input: Data) {
  let source = CacheKey("a")
  if let record = OriginalRecord(input) {
    precondition(OriginalRecord(record.data)?.data == record.data, "an original that cannot be read again")
    if let response = record.response { decide(response) }
  }
  if let record = RenditionRecord(input) {
    precondition(RenditionRecord(record.data)?.data == record.data, "a rendition that cannot be read again")
    derive(record.header, nil)
  }
  if let record = VariantsRecord(input, of: source) {
    precondition(
      VariantsRecord(record.data, of: source)?.data == record.data, "variants that cannot be read again")
    for variant in record.pictures { derive(nil, variant) }
  }
  if let record = EncodedRecord(input) {
    precondition(EncodedRecord(record.data)?.data == record.data, "a file that cannot be read again")
    derive(record.rendition.header, nil)
  }
  if let (record, body) = HTTPPartialBodyFormat.read(input),
    let response = try? JSONDecoder().decode(HTTPStoredResponse.self, from: record)
  {
    _ = HTTPPartialBody(response: response, body: body)
  }
  if let answer = PictureAnswer(input) {
    precondition(PictureAnswer(answer.data)?.data == answer.data, "an answer that cannot be read again")
    check(answer)
  }
  if let request = PictureRequest(input) {
    _ = request.fieldByteCount(fileByteCount: .max)
    precondition(PictureRequest(request.data)?.data == request.data, "a request that cannot be read again")
  }
}

private func decide(_ response: HTTPStoredResponse) {
  precondition(response.flaw == nil, "a record that no cache writes was believed")
  for offset in [0, -1e9, 1e9] {
    let now = Date(timeIntervalSince1970: 1_767_355_200 + offset)
    let policy = HTTPCachePolicy.standard
    let decision = policy.decide(stored: [response], request: HTTPRequest(url: response.url), now: now)
    precondition(!decision.reason.isEmpty, "a decision without a reason")
    _ = policy.servedHead(of: response, now: now)
  }
}

/// Asks whether a smaller picture can be made from a stored one.
private func derive(_ header: ImageHeader?, _ variant: KnownVariants.SizeVariant?) {
  let header = header ?? ImageHeader(type: .jpeg, storedSize: PixelSize(4000, 3000))
  for size in [PixelSize(20, 20), PixelSize(16_384, 1)] {
    for mode in [ScaleMode.aspectFit, .aspectFill, .fill] {
      _ = try? Derivation(
        of: Recipe(resize: Resize(size, mode: mode)), from: Recipe(resize: variant?.resize),
        size: variant?.size ?? header.size, header: header)
    }
    if let variant { _ = Recipe(resize: Resize(size)).isWorthWaiting(for: variant.recipe) }
  }
}

/// The checks of the process that has asked.
private func check(_ answer: PictureAnswer) {
  switch answer {
  case .header(let header):
    guard header.flaw(from: [header.type]) == nil, (try? fuzzLimits.check(header)) != nil,
      !header.storedSize.isEmpty
    else { return }
    _ = DecodePlan(header: header, resize: Resize(PixelSize(20, 20)))
    _ = header.gainMap?.flaw(for: header.storedSize)
  case .metadata(let metadata): _ = metadata.values.flaw
  case .picture(let header, let form, _, _):
    _ = header.flaw(from: [header.type]) ?? form.flaw
    _ = form.byteCount
  case .track(let track): _ = track?.flaw(fuzzLimits)
  case .bitmap(let form): _ = form.flaw ?? "\(form.byteCount)"
  case .failure(let error), .lacking(let error): _ = "\(error)"
  case .needs, .file: break
  case .rewritten(let outcome): _ = outcome.flaw(of: .file(keeping: [], turns: false), for: .jpeg)
  }
}

@Sendable
func recordSamples() -> [Data] {
  guard let url = URL(string: "http://fuzz.example/a?b") else { return [] }
  let noon = Date(timeIntervalSince1970: 1_767_355_200)
  let response = HTTPStoredResponse(
    status: 200,
    headers: ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Date": HTTPDate.string(from: noon)],
    url: url, requestDate: noon, responseDate: noon, redirectsFreshUntil: noon, bodyIdentity: "a")
  let bitmap = Bitmap(size: PixelSize(4, 4), isOpaque: true) { x, _ in
    Pixel(red: UInt8(x), green: 1, blue: 2)
  }
  let header = (try? fuzzCodecs.encode(bitmap, as: .jpeg)).flatMap {
    try? fuzzCodecs.header(of: $0, limits: fuzzLimits)
  }
  let rendition = RenditionRecord(
    header: header, stamp: FileStamp(byteCount: 1, modifiedSeconds: 2, modifiedNanoseconds: 3, inode: 4),
    validity: OriginalValidity(receptionDate: noon, freshUntil: noon, bodyIdentity: "a", mayUseOffline: true),
    notes: ["a note"])
  let encoded = EncodedRecord(
    type: .jpeg, size: PixelSize(4, 4), frameCount: 1, checksum: CacheKey("b"), notes: [],
    rendition: rendition, sourceByteCount: 9)
  let variants = VariantsRecord([
    .init(
      key: ImageKey(source: CacheKey("a"), rendition: CacheKey("b")),
      resize: Resize(PixelSize(400, 300), region: PixelRectangle(x: 1, y: 2, width: 3, height: 4)),
      size: PixelSize(400, 300))
  ])
  let track = FrameTrack(delays: [.milliseconds(20), .seconds(1)], loopCount: 0, workingByteCount: 64)
  let answers: [PictureAnswer] =
    (header.map {
      [.header($0), .picture($0, BitmapForm(bitmap), notes: ["a"], resizeTime: .seconds(1))]
    } ?? []) + [
      .metadata(ImageMetadata(exif: Data([1]), notes: ["a"])), .track(track), .bitmap(BitmapForm(bitmap)),
      .failure(.corrupt(.jpeg, stage: "header", reason: "a")), .lacking(.emptyData), .needs(byteCount: 8),
      .file(Data([1, 2])),
    ]
  let requests = [
    PictureRequest(.header, limits: fuzzLimits),
    PictureRequest(.picture(Resize(PixelSize(20, 20))), limits: fuzzLimits),
    PictureRequest(.frame(3, nil), limits: fuzzLimits), PictureRequest(.turned(.right), limits: fuzzLimits),
  ]
  return [OriginalRecord(response)?.data, rendition.data, encoded.data, variants.data].compactMap(\.self)
    + answers.map(\.data) + requests.map(\.data)
}
