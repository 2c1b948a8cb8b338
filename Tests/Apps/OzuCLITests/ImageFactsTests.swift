import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Facts of `ozu info` about pixels and colours")
struct ImageFactsTests {
  @Test("--pixels adds the dominant colour, placeholders and notes")
  func pixels() async throws {
    let folder = try Folder()
    let bitmap = Bitmap(size: PixelSize(90, 60)) { x, _ in
      x < 60 ? Pixel(red: 200, green: 20, blue: 30) : Pixel(red: 10, green: 200, blue: 90)
    }
    let data = try await ImagePipeline { $0.caching.diskStorage = .none }.encode(Picture(bitmap), as: .png)
    let path = try folder.write(data, to: "a.png")
    let json = try await CommandRun("info", path, "--pixels", "--json", "--no-cache").objects[0]
    #expect(json["dominantColor"] as? String == "#c8141e")
    #expect(json["blurHash"] as? String == BlurHash(encoding: bitmap).text)
    #expect(json["thumbHash"] as? String == ThumbHash(encoding: bitmap).base64)
    #expect(json["perceptualHash"] as? String == PerceptualHash(bitmap).description)
    #expect(json["loops"] is NSNull && (json["notes"] as? [String])?.isEmpty == true)
    let text = await CommandRun("info", path, "--pixels", "--no-cache").output
    #expect(
      text.contains("\n  dominant colour #c8141e, BlurHash \(BlurHash(encoding: bitmap).text), ThumbHash "))
    let header = try await CommandRun("info", path, "--json", "--no-cache").objects[0]
    #expect(header["dominantColor"] == nil && header["gamut"] as? String == "sRGB")
  }

  @Test("how often an animation is played; a transparent picture has no dominant colour")
  func special() async throws {
    let folder = try Folder()
    let animation = Repository.fixture("matrix/anim.gif")
    let path = animation.path(percentEncoded: false)
    let played = try await CommandRun("info", path, "-p", "--json", "--no-cache").objects[0]
    let file = try ImagePipeline.Configuration().decoding.codecs.picture(from: Data(contentsOf: animation))
    #expect(played["loops"] as? Int == file.animation?.loopCount && file.animation != nil)
    #expect(await CommandRun("info", path, "-p", "--no-cache").output.contains("\n  played "))
    let clear = Picture(Bitmap(size: PixelSize(4, 4), isOpaque: false) { _, _ in .clear })
    let data = try await ImagePipeline { $0.caching.diskStorage = .none }.encode(clear, as: .png)
    let nothing = try folder.write(data, to: "clear.png")
    let facts = try await CommandRun("info", nothing, "-p", "--json", "--no-cache").objects[0]
    #expect(facts["dominantColor"] is NSNull)
  }

  @Test(
    "any number in a header is printed, and none ends the process",
    arguments: [.infinity, -.infinity, .nan, 1e38, -1e300, .leastNonzeroMagnitude] as [Double])
  func numbers(_ number: Double) {
    var header = ImageHeader(type: .tiff, storedSize: PixelSize(2, 1))
    header.dotsPerInch = number
    header.lightLevels = LightLevels(maximumContent: number)
    header.metadata = PictureMetadata()
    header.metadata?.exposureTime = number
    header.metadata?.fNumber = number
    header.metadata?.focalLength = number
    let facts = ImageFacts(source: "a.tiff", header: header, pixels: nil)
    #expect(facts.text.contains(" dots per inch"))
    OutputSchema.check(facts.json.text, of: ["info"])
  }

  @Test("a short exposure keeps all its digits", arguments: [1.0 / 8000, 1.0 / 1250, 30])
  func shortExposure(_ seconds: Double) {
    var header = ImageHeader(type: .jpeg, storedSize: PixelSize(2, 1))
    header.metadata = PictureMetadata()
    header.metadata?.exposureTime = seconds
    let text = ImageFacts(source: "a.jpg", header: header, pixels: nil).json.text
    #expect(text.contains("\"exposureTime\": \(seconds), "))
  }

  @Test("a name of a camera makes no line that looks like that of another file")
  func forged() {
    var header = ImageHeader(type: .jpeg, storedSize: PixelSize(2, 1))
    header.metadata = PictureMetadata(camera: "X\nb.jpg: JPEG 4x3")
    let facts = ImageFacts(source: "a.jpg", header: header, pixels: nil)
    #expect(facts.text.contains("X\\u000ab.jpg") && !facts.text.contains("\n"), "\(facts.text)")
  }

  @Test("of a camera RAW file, the sizes of the RAW and of its previews, upright")
  func cameraRAW() throws {
    var header = ImageHeader(type: .nef, storedSize: PixelSize(1620, 1080), orientation: .right)
    for (size, text) in [
      (PixelSize(6000, 4000), "previews 1080x1620, 160x240, RAW 4000x6000"),
      (nil, "previews 1080x1620, 160x240, "),
    ] {
      header.cameraRAW = CameraRAW(size: size, previewSizes: [PixelSize(1620, 1080), PixelSize(240, 160)])
      let facts = ImageFacts(source: "a.nef", header: header, pixels: nil)
      #expect(facts.text.hasPrefix("a.nef: Nikon NEF 1080x1620") && facts.text.contains(text))
      OutputSchema.check(facts.json.text, of: ["info"])
    }
  }

  @Test(
    "gamut and transfer function of an encoding",
    arguments: [
      (nil, "sRGB", "sRGB"), (.coded(primaries: 9, transfer: 16), "BT.2020", "PQ"),
      (.coded(primaries: 12, transfer: 13), "Display P3", "sRGB"),
      (.coded(primaries: 77, transfer: 78), "H.273 77", "H.273 78"),
      (.calibrated(gamma: 2.2, chromaticities: .sRGB), "sRGB", "gamma 2.2"),
      (.profile(ICCProfile(name: "P", data: Data())), nil, nil),
    ] as [(ColorEncoding?, String?, String?)])
  func colors(_ encoding: ColorEncoding?, _ gamut: String?, _ transfer: String?) {
    let facts = ColorFacts(encoding)
    #expect(facts.gamut == gamut && facts.transfer == transfer)
  }
}
