import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("The steps of `ozu load`: the effect of each option on the pixels")
struct LoadStepTests {
  private static let photo = PatternPicture(PixelSize(320, 240), tint: 3)
  private static let mark = PatternPicture(PixelSize(20, 10), tint: 5)

  struct Case: CustomTestStringConvertible {
    let options: [String]
    let steps: [any ImageProcessing]
    var testDescription: String { options.joined(separator: " ") }

    init(_ options: [String], _ steps: any ImageProcessing...) {
      self.options = options
      self.steps = steps
    }
  }

  private static let red = ColorValue(red: 255, green: 0, blue: 0)
  private static let square = PixelSize(100, 100)

  static let cases: [Case] = [
    Case(
      ["--crop", "100x50+10+20"], Resize(region: PixelRectangle(x: 10, y: 20, width: 100, height: 50))),
    Case(
      ["--crop", "9000x50+300+20"], .crop(.rectangle(PixelRectangle(x: 300, y: 20, width: 20, height: 50)))),
    // A step that is not the first is a step of its own.
    Case(
      ["--flip", "--crop", "50x50+9+9"], Turn.flip,
      .crop(.rectangle(PixelRectangle(x: 9, y: 9, width: 50, height: 50)))),
    Case(
      ["--crop", "100x100"], Resize(square, mode: .aspectFill, crops: false),
      .crop(.proportions(square, .center))),
    Case(
      ["--crop", "100x100,left"], Resize(square, mode: .aspectFill, crops: false),
      .crop(.proportions(square, .left))),
    Case(
      ["--crop", "100x100,attention"], Resize(square, mode: .aspectFill, crops: false),
      .crop(.attention(square))),
    Case(["--crop", "1:1,bottom-right"], .crop(.proportions(PixelSize(1, 1), .bottomRight))),
    Case(["--crop", "16:9,attention"], .crop(.attention(PixelSize(16, 9)))),
    Case(["--pad", "400x300"], .pad(to: PixelSize(400, 300))),
    Case(
      ["--pad", "400x300,#ff0000,top-left"], .pad(to: PixelSize(400, 300), color: red, anchor: .topLeft)),
    Case(["--pad", "400x300,top,red"], .pad(to: PixelSize(400, 300), color: red, anchor: .top)),
    Case(["--pad", "400x300,#f00", "--trim"], .pad(to: PixelSize(400, 300), color: red), .trim()),
    Case(["--trim=200"], .trim(tolerance: 200)), Case(["--rotate", "90"], Turn.right),
    Case(["--rotate", "180"], Turn.around), Case(["--rotate", "270"], Turn.left), Case(["--flip"], Turn.flip),
    Case(["--mirror"], Turn.mirror), Case(["--blur", "2.5"], .gaussianBlur(radius: 2.5)),
    Case(["--sharpen"], .sharpen()), Case(["--sharpen=2,3"], .sharpen(amount: 2, radius: 3)),
    Case(["--grayscale"], .grayscale),
    Case(
      ["--adjust", "saturation=1.5,brightness=-0.25,contrast=2"],
      .color(brightness: -0.25, contrast: 2, saturation: 1.5)),
    Case(["--tint", "#ff000080"], .tint(ColorValue(red: 255, green: 0, blue: 0, alpha: 128))),
    Case(["--tint", "RED,template"], .tint(red, style: .template)),
    Case(["--round", "20"], .roundedCorners(radius: 20)), Case(["--round", "circle"], .circle()),
    Case(
      ["--round", "20,4,#f00"], .roundedCorners(radius: 20, border: .init(width: 4, color: red))),
    Case(["--watermark", "mark,a.png"], .watermark(mark.bitmap)),
    Case(
      ["--watermark", "mark,a.png,0.5,top-left,margin=7,multiply"],
      .watermark(mark.bitmap, at: .topLeft, margin: 7, opacity: 0.5, mode: .multiply)),
    Case(
      ["--overlay", "mark,a.png,place=top-right,x=-9.5,y=4,size=30x20,rotate=-12,opacity=0.5,mode=screen"],
      .overlay(
        mark.bitmap,
        Placement(
          x: -9.5, y: 4, anchor: .topRight, size: PixelSize(30, 20), rotation: -12, opacity: 0.5,
          blendMode: .screen
        ))),
    Case(
      ["--overlay", "mark,a.png,tile=7,light=yes"],
      .overlay(mark.bitmap, Placement(light: .linear, tileGap: PixelSize(7, 7)))),
    Case(["--rotate", "-30,#f00"], .rotate(degrees: -30, background: red)),
    Case(["--pad", "400x300,blur,top"], .pad(to: PixelSize(400, 300), blurredBy: 40, anchor: .top)),
    Case(["--pixelate", "8"], .pixelate(blockSide: 8)),
    Case(
      ["--redact", "20x10+5+6,9x9+40+40"],
      .redact(areas: [
        PixelRectangle(x: 5, y: 6, width: 20, height: 10), PixelRectangle(x: 40, y: 40, width: 9, height: 9),
      ])),
    Case(
      ["--redact", "20x10+5+6,7"],
      .redact(areas: [PixelRectangle(x: 5, y: 6, width: 20, height: 10)], style: .pixelate(blockSide: 7))),
    // In the order in which they are given.
    Case(["--rotate", "90", "--flip"], Turn.right, Turn.flip),
    Case(["--flip", "--rotate", "90"], Turn.flip, Turn.right),
    Case(
      ["--crop", "100x100+0+0", "--size", "50x50"],
      Resize(PixelSize(50, 50), region: PixelRectangle(x: 0, y: 0, width: 100, height: 100))),
    Case(
      ["--size", "50x50", "--crop", "10x10+0+0"], Resize(PixelSize(50, 50)),
      .crop(.rectangle(PixelRectangle(x: 0, y: 0, width: 10, height: 10)))),
    Case(
      ["-s", "9x9", "--flip", "-s", "50x50", "--mode", "cover"], Turn.flip,
      Resize(PixelSize(50, 50), mode: .aspectFill, crops: true)),
    Case(["-s", "9x9", "--mode", "none", "--flip"], Turn.flip),
    Case(["-s", "80"], Resize(PixelSize(80, 80))), Case(["--longest", "80"], Resize(PixelSize(80, 80))),
    Case(["-s", "80x"], Resize(width: 80)), Case(["--width", "80"], Resize(width: 80)),
    Case(["-s", "x60"], Resize(height: 60)), Case(["--height", "60"], Resize(height: 60)),
    Case(["--height", "60", "--width", "60"], Resize(PixelSize(60, 60))),
    Case(["--shortest", "60"], Resize(PixelSize(60, 60), mode: .aspectFill, crops: false)),
    Case(["-s", "50%", "--flip"], Resize(PixelSize(160, 120)), Turn.flip),
    Case(["-s", "200.1%"], Resize(PixelSize(640, 480), mode: .fill, allowsUpscaling: true)),
  ]

  @Test("each does what the library's steps do", arguments: cases)
  func steps(_ test: Case) async throws {
    let folder = try Folder()
    try folder.write(Self.photo.data(as: .png), to: "a.png")
    try folder.write(Self.mark.data(as: .png), to: "mark,a.png")
    let options = test.options.map { $0.replacingOccurrences(of: "mark,", with: folder.path("mark,")) }
    let run = await CommandRun(
      ["load", folder.path("a.png"), "-o", folder.path("out.png"), "--no-cache"] + options)
    #expect(run.status == .done, "\(run.errors)")
    let made = try ImagePipeline.Configuration().decoding.codecs.picture(
      from: #require(folder.data("out.png")))
    var expected = Self.photo.bitmap
    for step in test.steps { expected = try step.process(expected) }
    #expect(made.size == expected.size)
    #expect(made.bitmap == expected)
    #expect(try folder.names == ["a.png", "mark,a.png", "out.png"])
  }

  @Test("colours as people type them")
  func colors() {
    let colors: [(String, ColorValue?)] = [
      ("#f80", ColorValue(red: 255, green: 136, blue: 0)),
      ("#FF880040", ColorValue(red: 255, green: 136, blue: 0, alpha: 64)), ("White", .white),
      ("#f804", ColorValue(red: 255, green: 136, blue: 0, alpha: 68)), ("clear", .clear),
      ("transparent", .clear),
      ("lightBlue", ColorValue(red: 173, green: 216, blue: 230)),
      ("yellowgreen", ColorValue(red: 154, green: 205, blue: 50)),
      ("#ff", nil), ("#gg0000", nil), ("f80", nil), ("", nil), ("#", nil), ("#１２３", nil),
    ]
    for (text, color) in colors { #expect(ColorArgument.color(text) == color, "\(text)") }
  }

  @Test("a result never replaces a watermark, even if it may replace its source")
  func watermarkStays() async throws {
    let folder = try Folder()
    let source = try folder.write(Self.photo.data(as: .png), to: "a.png")
    let mark = try folder.write(Self.mark.data(as: .png), to: "m.png")
    let run = await CommandRun(
      "load", source, "--watermark", mark, "-o", mark, "--overwrite-sources", "--no-cache")
    #expect(run.status == .wrongUsage)
    #expect(folder.data("m.png") == (try Self.mark.data(as: .png)))
  }
}
