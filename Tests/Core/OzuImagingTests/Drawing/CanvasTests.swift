import Foundation
import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Canvas")
struct CanvasTests {
  private static func canvas(
    _ size: PixelSize = PixelSize(40, 30), _ background: Canvas.Paint = .color(.white),
    _ elements: [Canvas.Element] = []
  ) -> Canvas { Canvas(size: size, background: background, elements: elements) }

  // MARK: Shapes

  /// Shapes with their exact areas in pixels.
  private static let shapes: [(Canvas.Element, Double)] = {
    let fill = Canvas.Paint.color(.black)
    return [
      (.rectangle(.init(x: 3, y: 4, width: 10, height: 5, fill: fill)), 50),
      (.rectangle(.init(x: 3.25, y: 4.5, width: 10.5, height: 5.75, fill: fill)), 60.375),
      (.rectangle(.init(x: 3.6, y: 4.6, width: 2.8, height: 2.8, fill: fill)), 7.84),
      (.rectangle(.init(x: 5.25, y: 5, width: 0.5, height: 10, fill: fill)), 5),
      (.rectangle(.init(x: -5, y: -5, width: 10, height: 10, fill: fill)), 25),
      (.rectangle(.init(x: 2, y: 2, width: 20, height: 20, fill: fill, cornerRadius: 10)), 314.16),
      (.rectangle(.init(x: 2.5, y: 2, width: 30, height: 16, fill: fill, cornerRadius: 99)), 425.06),
      (.rectangle(.init(x: 2, y: 2, width: 20, height: 10, fill: fill, cornerRadius: 4)), 186.27),
      (.rectangle(.init(x: 4, y: 4, width: 20, height: 10, border: .init(width: 2, color: .black))), 104),
      (
        .rectangle(
          .init(x: 4, y: 4, width: 20, height: 20, cornerRadius: 10, border: .init(width: 3, color: .black))),
        160.22
      ),
      (.rectangle(.init(x: 4, y: 4, width: 20, height: 10, border: .init(width: 50, color: .black))), 200),
      (.rectangle(.init(x: 1, y: 1, width: 0, height: 9, fill: fill)), 0),
      (.line(.init(startX: 5, startY: 10, endX: 25, endY: 10, width: 4)), 80),
      (.line(.init(startX: 5, startY: 10.5, endX: 25, endY: 10.5)), 20),
      (.line(.init(startX: 5, startY: 5, endX: 25, endY: 20, width: 3)), 75),
      (.line(.init(startX: 5, startY: 5, endX: 25, endY: 20, width: 6, hasRoundEnds: true)), 178.27),
      (.line(.init(startX: 15, startY: 15, endX: 15, endY: 15, width: 10, hasRoundEnds: true)), 78.54),
      (.line(.init(startX: 5, startY: 5, endX: 25, endY: 5, width: 0)), 0),
      (.line(.init(startX: 5, startY: 5, endX: 5, endY: 5, width: 4)), 0),
    ]
  }()

  @Test("shapes cover their area, edges included", arguments: shapes.indices)
  func areas(index: Int) throws {
    let (element, area) = Self.shapes[index]
    let picture = try Self.canvas(PixelSize(40, 30), .color(.clear), [element]).drawn().bitmap
    let covered = picture.pixels.reduce(0.0) { $0 + Double($1.alpha) / 255 }
    #expect(abs(covered - area) <= max(0.4, area * 0.008), "\(covered)")
    #expect(picture.pixels.allSatisfy { $0.red == 0 && $0.green == 0 && $0.blue == 0 })
  }

  @Test("a border lies on the edge, and the fill inside of it")
  func border() throws {
    let rectangle = Canvas.Rectangle(
      x: 2, y: 2, width: 12, height: 8, fill: .color(.black),
      border: .init(width: 2, color: ColorValue("#ff0000")!))
    let picture = try Self.canvas(PixelSize(16, 12), .color(.white), [.rectangle(rectangle)]).drawn().bitmap
    for y in 0..<12 {
      for x in 0..<16 {
        let (isOuter, isInner) = (2..<14 ~= x && 2..<10 ~= y, 4..<12 ~= x && 4..<8 ~= y)
        #expect(picture[x, y] == (isInner ? .black : isOuter ? .opaqueRed : .white))
      }
    }
  }

  // MARK: Paint

  @Test("gradients lead from corner to corner, as in CSS")
  func gradients() throws {
    let colors: [ColorValue] = [.black, .white]
    let right = try Self.canvas(PixelSize(256, 2), .linear(angle: 90, colors)).drawn().bitmap
    for x in 0..<256 { #expect(abs(Int(right[x, 1].red) - x) <= 1) }
    #expect(right[9, 0].red == right[9, 0].blue && right.isOpaque)
    let down = try Self.canvas(PixelSize(2, 256), .linear(angle: 180, colors)).drawn().bitmap
    for y in 0..<256 { #expect(abs(Int(down[0, y].red) - y) <= 1) }
    let corner = try Self.canvas(PixelSize(100, 100), .linear(angle: 135, colors)).drawn().bitmap
    #expect(corner[0, 0].red <= 2 && corner[99, 99].red >= 253)
    #expect(abs(Int(corner[50, 50].red) - 128) <= 2 && abs(Int(corner[99, 0].red) - 128) <= 2)
    let round = try Self.canvas(PixelSize(101, 101), .radial(colors)).drawn().bitmap
    #expect(round[50, 50].red == 0 && round[0, 0].red >= 252 && round[50, 0].red == round[0, 50].red)
    #expect(abs(Int(round[50, 0].red) - 180) <= 2)
  }

  @Test("stops at one place change the colour at once, and transparent colours stay pure")
  func stops() throws {
    let sharp = Canvas.Paint.linear(
      angle: 90,
      stops: [
        .init(.black, at: 0), .init(.black, at: 0.5), .init(.white, at: 0.5), .init(.white, at: 1),
      ])
    let picture = try Self.canvas(PixelSize(10, 1), sharp).drawn().bitmap
    #expect((0..<10).map { picture[$0, 0].red } == [0, 0, 0, 0, 0, 255, 255, 255, 255, 255])
    let fading = Canvas.Paint.linear(
      angle: 90, [ColorValue("#ff0000")!, ColorValue(red: 0, green: 255, blue: 0, alpha: 0)])
    let fade = try Self.canvas(PixelSize(64, 1), fading).drawn().bitmap
    #expect(fade.pixels.allSatisfy { $0.red == $0.alpha && $0.green == 0 } && !fade.isOpaque)
    let one = try Self.canvas(PixelSize(3, 3), .linear(angle: 0, [.black])).drawn().bitmap
    #expect(one[1, 1] == .black)
  }

  // MARK: Pictures and labels

  @Test("a picture covers its frame, lies in its middle, or is cut to a circle")
  func frames() throws {
    let wide = Bitmap(size: PixelSize(60, 20)) { x, _ in x < 30 ? .opaqueRed : .black }
    func drawn(_ frame: Canvas.PictureFrame, _ placement: Placement) throws -> Bitmap {
      let canvas = Self.canvas(PixelSize(40, 40), .color(.white), [.picture(frame, placement)])
      #expect(canvas.neededPictures.map(\.source) == ["a"])
      return try canvas.drawn(pictures: [canvas.neededPictures[0]: Picture(wide)]).bitmap
    }
    let place = Placement(anchor: .center, size: PixelSize(20, 20))
    let covered = try drawn(.init("a"), place)
    #expect(covered[10, 10] == .opaqueRed && covered[29, 29] == .black && covered[9, 20] == .white)
    #expect(covered[30, 20] == .white)
    let inside = try drawn(.init("a", mode: .aspectFit), place)
    #expect(inside[11, 20] == .opaqueRed && inside[28, 20] == .black)
    #expect(inside[11, 14] == .white && inside[11, 26] == .white)
    let circle = try drawn(.init("a", clip: .circle, border: .init(width: 2, color: .white)), place)
    #expect(circle[10, 10] == .white && circle[11, 20] == .white && circle[14, 20] == .opaqueRed)
    let own = try drawn(.init("a"), Placement(x: -30, y: 5))
    #expect(own[0, 5] == .black && own[29, 24] == .black && own[30, 24] == .white && own[0, 4] == .white)
  }

  /// Draws each label as a square of its size in its colour.
  private struct Squares: LabelDrawing {
    func size(of label: Label, context: DecodingContext) throws(LabelError) -> PixelSize {
      PixelSize(Int(label.size), Int(label.size))
    }

    func picture(of label: Label, context: DecodingContext) throws(LabelError) -> Picture {
      if label.text.isEmpty { throw .invalid("text", reason: "it is empty") }
      let side = Int(label.size)
      let square = Bitmap(size: PixelSize(side, side), isOpaque: false) { _, _ in label.color.pixel }
      return Picture(square, notes: ["drawn \(label.text)"])
    }
  }

  @Test(
    "a label is where it would be without its shadow",
    arguments: [
      (ImageAnchor.topLeft, 10, 10), (.bottomRight, 46, 36), (.center, 28, 23),
    ])
  func shadows(anchor: ImageAnchor, x: Int, y: Int) throws {
    // Sharp, so that it reaches 6 pixels to the left and 3 down; the square has them around it.
    struct Shadowed: LabelDrawing {
      func size(of label: Label, context: DecodingContext) throws(LabelError) -> PixelSize {
        PixelSize(10, 7)
      }
      func picture(of label: Label, context: DecodingContext) throws(LabelError) -> Picture {
        Picture(
          Bitmap(size: PixelSize(10, 7), isOpaque: false) { x, y in
            x >= 6 && y < 4 ? Pixel(red: 255, green: 0, blue: 0) : Pixel(red: 0, green: 0, blue: 0, alpha: 0)
          })
      }
    }
    var label = Label("a", size: 4)
    label.shadow = Label.Shadow(x: -6, y: 3, color: .black)
    var canvas = Canvas(size: PixelSize(60, 50), background: .color(.white))
    let shift: Double = anchor == .bottomRight ? -10 : anchor == .center ? 0 : 10
    // It turns around its own centre.
    for rotation in [0.0, 90, 180, 270] {
      canvas.elements = [.label(label, Placement(x: shift, y: shift, anchor: anchor, rotation: rotation))]
      let pixels = try canvas.drawn(labels: Shadowed()).bitmap.pixels
      let red = pixels.indices.filter { pixels[$0].green == 0 }
      #expect(red == (0..<16).map { (y + $0 / 4) * 60 + x + $0 % 4 }, "\(rotation)")
    }
  }

  @Test("labels are drawn once each, in order, with their notes; later elements cover earlier ones")
  func labels() throws {
    let first = Label("a", size: 10, color: .black)
    var canvas = Self.canvas(PixelSize(20, 20), .color(.white))
    canvas.elements = [
      .label(first, Placement()), .label(first, Placement(x: 10, y: 10)),
      .label(Label("b", size: 4, color: ColorValue("#f00")!), Placement(x: 8, y: 8)),
      .rectangle(.init(x: 0, y: 0, width: 2, height: 2, fill: .color(.white))),
    ]
    let picture = try canvas.drawn(labels: Squares())
    #expect(picture.notes == ["drawn a", "drawn b"])
    #expect(
      picture.bitmap[0, 0] == .white && picture.bitmap[3, 3] == .black && picture.bitmap[9, 9] == .opaqueRed)
    #expect(picture.bitmap[11, 11] == .opaqueRed && picture.bitmap[19, 19] == .black)
    #expect(throws: CanvasError.label(0, .unavailable(reason: "nothing was given that draws them"))) {
      try canvas.drawn()
    }
    canvas.elements.append(.label(Label("", size: 4), Placement()))
    #expect(throws: CanvasError.label(4, .invalid("text", reason: "it is empty"))) {
      try canvas.drawn(labels: Squares())
    }
  }

  // MARK: Limits and errors

  @Test("a canvas over the limits is refused before anything is drawn")
  func limits() {
    func refused(_ canvas: Canvas, _ limits: DecodingLimits = .default) -> CanvasError? {
      do throws(CanvasError) {
        try canvas.check(limits: limits)
        return nil
      } catch {
        return error
      }
    }
    let full = Canvas.Element.rectangle(.init(x: 0, y: 0, width: 1e6, height: 1e6, fill: .color(.black)))
    #expect(
      refused(Self.canvas(PixelSize(70_000, 10)))
        == .limitExceeded(.init(.side, value: 70_000, limit: 65_535)))
    #expect(
      refused(Self.canvas(PixelSize(50_000, 50_000)))
        == .limitExceeded(.init(.pixelCount, value: 2_500_000_000, limit: 128_000_000)))
    let many = Self.canvas(PixelSize(4000, 4000), .color(.white), Array(repeating: full, count: 8))
    #expect(refused(many) == .limitExceeded(.init(.pixelCount, value: 144_000_000, limit: 128_000_000)))
    #expect(
      refused(Self.canvas(PixelSize(4000, 4000), .color(.white), Array(repeating: full, count: 7))) == nil)
    // A picture in its own size may cover all, whatever its frame is.
    let own = Canvas.Element.picture(.init("a", mode: .none), Placement(size: PixelSize(1, 1)))
    #expect(
      refused(Self.canvas(PixelSize(4000, 4000), .color(.white), Array(repeating: own, count: 8)))
        == .limitExceeded(.init(.pixelCount, value: 144_000_000, limit: 128_000_000)))
    #expect(
      refused(Self.canvas(PixelSize(4, 4), .color(.white), Array(repeating: full, count: 1001)))
        == .tooManyElements(1001))
    let text = Canvas.Element.label(Label(String(repeating: "a", count: 5000)), Placement())
    #expect(
      refused(Self.canvas(PixelSize(4, 4), .color(.white), Array(repeating: text, count: 5)))
        == .limitExceeded(.init(.characterCount, value: 25_000, limit: 20_000)))
    let wrong = Canvas.Element.label(Label("a", size: 0), Placement())
    if case .label(0, .invalid("size", reason: _)) = refused(
      Self.canvas(PixelSize(4, 4), .color(.white), [wrong]))
    {
    } else {
      Issue.record("a label of no size")
    }
    for (side, violation) in [
      (60_000, .init(.decodedByteCount, value: 28_800_000_064, limit: 512 << 20)),
      (70_000, .init(.side, value: 70_000, limit: 65_535)),
    ] as [(Int, DecodingLimits.Violation)] {
      let place = Placement(size: PixelSize(side, side))
      for huge in [Canvas.Element.picture(.init("a"), place), .label(Label("a"), place)] {
        #expect(refused(Self.canvas(PixelSize(4, 4), .color(.white), [huge])) == .limitExceeded(violation))
      }
    }
    #expect(refused(Self.canvas(PixelSize(.max, .max))) != nil)
    #expect(refused(Self.canvas(PixelSize(0, 4))) == .invalid(element: nil, reason: "it has no pixels"))
  }

  @Test("labels count towards the limits as they are drawn, and a cancelled canvas stops")
  func running() throws {
    let label = Canvas.Element.label(Label("a", size: 100), Placement())
    let canvas = Self.canvas(PixelSize(50, 50), .color(.white), Array(repeating: label, count: 10))
    #expect(throws: CanvasError.limitExceeded(.init(.pixelCount, value: 52_500, limit: 50_000))) {
      try canvas.drawn(
        labels: Squares(), context: DecodingContext(limits: DecodingLimits(pixelCount: 50_000)))
    }
    // A turned one counts with the square that it lies in.
    let turned = Canvas.Element.label(Label("a", size: 100), Placement(rotation: 45))
    #expect(throws: CanvasError.limitExceeded(.init(.pixelCount, value: 120_000, limit: 100_000))) {
      try Self.canvas(PixelSize(200, 200), .color(.white), Array(repeating: turned, count: 10)).drawn(
        labels: Squares(), context: DecodingContext(limits: DecodingLimits(pixelCount: 100_000)))
    }
    #expect(throws: CanvasError.cancelled) {
      try Self.canvas().drawn(context: DecodingContext(isCancelled: { true }))
    }
    #expect(throws: CanvasError.missingPicture("a")) {
      try Self.canvas(PixelSize(5, 5), .color(.white), [.picture(.init("a"), Placement())]).drawn()
    }
  }

  /// Elements with a value that cannot be drawn.
  private static let flaws: [Canvas.Element] = {
    let many = Canvas.Paint.linear(angle: 0, Array(repeating: .black, count: 65))
    let back = Canvas.Paint.linear(angle: 0, stops: [.init(.black, at: 0.5), .init(.black, at: 0.4)])
    let paints: [Canvas.Paint] = [
      many, back, .linear(angle: .nan, [.black]), .linear(angle: 0, []),
      .radial(x: .nan, y: 0, radius: 1, stops: [.init(.black, at: 0)]),
      .radial(x: 0, y: 0, radius: 0, stops: [.init(.black, at: 0)]),
      .linear(angle: 0, stops: [.init(.black, at: .nan)]),
    ]
    return paints.map { .rectangle(.init(x: 0, y: 0, width: 4, height: 4, fill: $0)) } + [
      .rectangle(.init(x: .nan, y: 0, width: 4, height: 4)),
      .rectangle(.init(x: 0, y: 1e300, width: 4, height: 4)),
      .rectangle(.init(x: 0, y: 0, width: -4, height: 4)),
      .rectangle(.init(x: 0, y: 0, width: 4, height: .infinity)),
      .rectangle(.init(x: 0, y: 0, width: 4, height: 4, cornerRadius: -1)),
      .rectangle(.init(x: 0, y: 0, width: 4, height: 4, border: .init(width: .nan, color: .black))),
      .line(.init(startX: .nan, startY: 0, endX: 0, endY: 0)),
      .line(.init(startX: 0, startY: 0, endX: 0, endY: 0, width: -1)),
      .picture(.init(""), Placement()), .picture(.init("a", clip: .rectangle(radius: .nan)), Placement()),
      .picture(.init("a"), Placement(x: .nan)), .label(Label("a"), Placement(opacity: 2)),
    ]
  }()

  @Test("values that cannot be drawn are refused with the number of their element", arguments: flaws.indices)
  func invalid(index: Int) {
    var canvas = Self.canvas()
    canvas.elements = [.line(.init(startX: 0, startY: 0, endX: 9, endY: 9)), Self.flaws[index]]
    do throws(CanvasError) {
      _ = try canvas.drawn(labels: Squares())
      Issue.record("it was drawn")
    } catch {
      guard case .invalid(element: 1, reason: _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  // MARK: The value

  @Test("a canvas is read from JSON with defaults, written and read again")
  func coding() throws {
    let text = """
      {"size": {"width": 1200, "height": 630}, "background": {"linear": {"angle": 135, "stops": [
         {"offset": 0, "color": "#123"}, {"offset": 1, "color": "#44556680"}]}},
       "elements": [
         {"picture": "a.jpg", "placement": {"x": 4, "size": {"width": 20, "height": 20}}},
         {"picture": {"source": "b.jpg", "clip": "circle", "border": {"width": 2, "color": "#fff"}}},
         {"picture": {"source": "c.jpg", "clip": 8, "mode": "aspectFit"}},
         {"label": {"text": "Hello"}, "placement": {"anchor": "bottom", "opacity": 0.5}},
         {"rectangle": {"width": 10, "height": 20, "fill": {"radial": {"stops": [{"offset": 0, "color": "#fff"}]}}}},
         {"line": {"startX": 0, "startY": 1, "endX": 2, "endY": 3}}]}
      """
    let canvas = try JSONDecoder().decode(Canvas.self, from: Data(text.utf8))
    let expected: [Canvas.Element] = [
      .picture(.init("a.jpg"), Placement(x: 4, size: PixelSize(20, 20))),
      .picture(.init("b.jpg", clip: .circle, border: .init(width: 2, color: .white)), Placement()),
      .picture(.init("c.jpg", mode: .aspectFit, clip: .rectangle(radius: 8)), Placement()),
      .label(Label("Hello"), Placement(anchor: .bottom, opacity: 0.5)),
      .rectangle(.init(x: 0, y: 0, width: 10, height: 20, fill: .radial([.white]))),
      .line(.init(startX: 0, startY: 1, endX: 2, endY: 3)),
    ]
    #expect(canvas.elements == expected && canvas.size == PixelSize(1200, 630))
    #expect(try JSONDecoder().decode(Canvas.self, from: JSONEncoder().encode(canvas)) == canvas)
    for wrong in [
      #"{"size": {"width": 1}}"#, #"{"size": {"width": 1, "height": 1}, "elements": [{}]}"#, "[]",
    ] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(Canvas.self, from: Data(wrong.utf8)) }
    }
  }

  @Test("equal canvases have one identity, and every value that changes a pixel is in it")
  func identity() {
    let canvases: [Canvas] =
      [
        Self.canvas(), Self.canvas(PixelSize(40, 31)), Self.canvas(PixelSize(40, 30), .color(.black)),
        Self.canvas(PixelSize(40, 30), .linear(angle: 90, [.white])),
        Self.canvas(PixelSize(40, 30), .radial([.white])),
      ]
      + [
        .picture(.init("a"), Placement()), .picture(.init("b"), Placement()),
        .picture(.init("a", clip: .circle), Placement()), .picture(.init("a"), Placement(x: 1)),
        .label(Label("a"), Placement()), .label(Label("a"), Placement(x: 1)), .label(Label("b"), Placement()),
        .line(.init(startX: 0, startY: 0, endX: 1, endY: 1)),
        .rectangle(.init(x: 0, y: 0, width: 1, height: 1)),
        .rectangle(.init(x: 0, y: 0, width: 1, height: 1, fill: .color(.clear))),
      ].map { Self.canvas(PixelSize(40, 30), .color(.white), [$0]) }
    #expect(Set(canvases.map(\.identifier)).count == canvases.count)
    #expect(Self.canvas().identifier == Self.canvas().identifier)
    #expect(
      Self.canvas().identifier == "canvas(size:(width:40,height:30),background:7:#ffffff,elements:[])")
  }
}
