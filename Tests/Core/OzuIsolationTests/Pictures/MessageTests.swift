#if os(Linux)
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  @Suite("Requests and answers between processes")
  struct MessageTests {
    private static var limits: DecodingLimits {
      DecodingLimits(
        pixelCount: 1, side: 2, decodedByteCount: 3, frameCount: 4, scanCount: 5, encodedByteCount: 6,
        cpuTime: .milliseconds(1500), animationByteCount: 7, scannedPixelCount: 8)
    }

    private static let resize = Resize(
      PixelSize(30, 40), mode: .aspectFill, crops: true, allowsUpscaling: true, kernel: .mitchell,
      quality: .fast,
      light: .linear, allowsEmbeddedThumbnail: true)

    private static let requests: [PictureRequest] = {
      let tasks: [PictureRequest.Task] = [
        .header, .metadata, .picture(nil), .picture(resize), .track(resize), .frame(7, nil),
        .pixels(PixelSize(3, 4)), .turned(.left), .transcoded(.store, .jxl), .transcoded(.restore, .jxl),
        .rewritten(.file(keeping: .everythingButPlace, turns: true)),
        .rewritten(
          .blocks(
            policy: .keepCopyright, size: PixelSize(3, 4), colorSpace: .icc(name: "P3"),
            resolution: ImageResolution(horizontal: 1, vertical: 2), isTurned: true)),
      ]
      return tasks.map { PictureRequest($0, limits: limits) }
        + [ColorPolicy.convertToSRGB, .keep, .keepProfile, .keepForFile].map { policy in
          let context = DecodingContext(allowsTruncation: true, colorPolicy: policy, pixelFormats: .asStored)
          return PictureRequest(.picture(nil), context, allowance: 99)
        }
        + [1.5, 64].map {
          PictureRequest(.picture(nil), DecodingContext().brightened(to: $0), allowance: 99)
        }
    }()

    private static let header: ImageHeader = {
      var metadata = PictureMetadata(captureDate: "2024:05:31 18:20:00", camera: "Ä", hasThumbnail: true)
      (metadata.lens, metadata.exposureTime, metadata.fNumber) = ("50 mm", 0.01, 1.8)
      (metadata.isoSensitivity, metadata.focalLength, metadata.hasPlace) = (100, 50, true)
      var header = ImageHeader(
        type: .heic, storedSize: PixelSize(4000, 3000), orientation: .left, bitsPerComponent: 10,
        colorModel: .gray, hasAlpha: true, frameCount: 3, isProgressive: true)
      (header.colorProfileName, header.dotsPerInch, header.metadata) = ("P3", 72.5, metadata)
      header.isDrawing = true
      header.exactSize = SIMD2(3999.5, 2999.25)
      header.lightLevels = LightLevels(maximumContent: 1000, masteringPeak: 4000.5)
      header.lightLevels?.masteringMinimum = 0.005
      header.lightLevels?.masteringGamut = .sRGB
      let channels = [1.0, 2, 3].map { GainMap.Channel(minimum: -$0, maximum: $0, gamma: 1.5) }
      var gainMap = GainMap(
        size: PixelSize(40, 30), bytes: 7..<99, channels: channels, alternateHeadroom: 2.5)
      gainMap.isInColorsOfPicture = false
      header.gainMap = gainMap
      header.missingBytes = 5..<99
      return header
    }()

    private static let headers: [ImageHeader] = {
      let profile = ICCProfile(name: "P3", data: Data((0..<200).map { UInt8($0) }))
      let encodings: [ColorEncoding?] = [
        nil, .profile(profile), .coded(primaries: 9, transfer: 16),
        .calibrated(gamma: 2.2, chromaticities: .sRGB),
      ]
      return encodings.map { encoding in
        var header = header
        header.colorEncoding = encoding
        return header
      }
    }()

    private static let form = BitmapForm(
      Bitmap(size: PixelSize(5, 3), isOpaque: false) { _, _ in .clear }.withColorSpace(.icc(name: "P3")))

    private static let errors: [ImageDecodingError] = [
      .emptyData, .notAnImage(kind: nil), .notAnImage(kind: "HTML"), .unsupportedType(.svg, reason: "r"),
      .corrupt(.avif, stage: "s", reason: "r"), .truncated(.webp, stage: "s"), .cancelled,
      .limitExceeded(.init(.cpuTime, value: 2, limit: 1)),
    ]

    /// Every property, so that one that is not sent is missed.
    private static let values: ImageMetadata = {
      var values = MetadataValues()
      (values.make, values.model, values.lens, values.software) = ("a", "b", "c", "d")
      (values.artist, values.copyright, values.title, values.description) = ("e", "f", "g", "Ä")
      values.originalDate = MetadataDate("2024-05-31T18:20:00.25-07:30")
      values.digitizedDate = MetadataDate("2024")
      values.modificationDate = MetadataDate("2024:05:31 18:20:00")
      (values.exposureTime, values.fNumber, values.isoSensitivity) = (0.01, 1.8, 100)
      (values.focalLength, values.focalLengthIn35mm, values.flash) = (4.2, 26, -1)
      (values.latitude, values.longitude, values.altitude) = (-33.8, 151.2, -12.5)
      (values.keywords, values.rating, values.orientation) = (["x", ""], -1, .left)
      values.otherTags = MetadataTag.Group.allCases.map { MetadataTag(group: $0, name: "n", value: "v") }
      var metadata = ImageMetadata(iptc: Data([3]))
      metadata.values = values
      return metadata
    }()

    private static let rewritten: MetadataRewriting.Outcome = {
      var outcome = MetadataRewriting.Outcome()
      outcome.file = Data([1, 2])
      outcome.blocks = EncodedMetadata(
        exif: Data([3]), xmp: Data(), colorProfile: Data([4]),
        resolution: ImageResolution(horizontal: 1, vertical: 2))
      (outcome.dropped, outcome.notes) = (["the place", "XMP"], ["n"])
      return outcome
    }()

    private static let answers: [PictureAnswer] =
      headers.map { .header($0) } + errors.map { .failure($0) } + [
        .picture(header, form, notes: ["one", ""], resizeTime: .nanoseconds(7)),
        .bitmap(form),
        .bitmap(
          BitmapForm(
            Bitmap(size: PixelSize(5, 3), isOpaque: false) { _, _ in .clear }
              .withColorSpace(.coded(primaries: 9, transfer: 16)))),
        .needs(byteCount: 1 << 40), .file(Data([1, 2])), .track(nil), .lacking(.emptyData),
        .track(FrameTrack(delays: [.zero, .milliseconds(40)], loopCount: 3, workingByteCount: 9)),
        .metadata(values), .rewritten(rewritten),
        .metadata(
          ImageMetadata(
            exif: Data([1]), xmp: Data(), colorProfile: ICCProfile(name: nil, data: Data([2])),
            resolution: ImageResolution(horizontal: 1, vertical: 2), notes: ["n"])),
      ]

    @Test("requests are read as they were written", arguments: requests)
    func request(_ request: PictureRequest) {
      #expect(PictureRequest(request.data) == request)
    }

    @Test("answers are read as they were written", arguments: answers)
    func answer(_ answer: PictureAnswer) throws {
      let read = try #require(PictureAnswer(answer.data))
      // Everything in a message is in its bytes, and in its text.
      #expect(read.data == answer.data)
      #expect("\(read)" == "\(answer)")
    }

    @Test("the failure of a decoder that is isolated once more names its format")
    func nested() throws {
      let failure = PictureAnswer.failure(.decoderFailed(.svg, .crashed(signal: 6)))
      guard case .failure(.corrupt(.svg, "decoder", let reason)) = try #require(PictureAnswer(failure.data))
      else {
        Issue.record("another error")
        return
      }
      #expect(reason.contains("SIGABRT"))
    }

    /// A worker that was taken over may send anything.
    @Test("truncated messages are refused, and damaged ones do no harm")
    func damaged() {
      var random = SeededGenerator(seed: 21)
      let all = Self.requests.map(\.data) + Self.answers.map(\.data)
      for data in all {
        for length in data.indices {
          #expect(PictureRequest(data.prefix(length)) == nil)
          #expect(PictureAnswer(data.prefix(length)) == nil)
        }
        for _ in 0..<200 {
          var damaged = data
          for _ in 0...Int.random(in: 0..<3, using: &random) {
            damaged[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
          }
          // None of them ends the process, or takes memory for data that do not exist.
          _ = (PictureRequest(damaged), PictureAnswer(damaged))
          _ = AnswerEnvelope.open(
            Data([.random(in: 0...2, using: &random)]) + damaged, .init(start: nil, count: 0),
            fieldByteCount: 1 << 20)
        }
      }
    }
  }
#endif
