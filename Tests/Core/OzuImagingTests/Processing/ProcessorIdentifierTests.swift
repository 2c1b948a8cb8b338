import Foundation
import Testing

@testable import OzuImaging

/// Processors of an app without a hand-written identifier.
enum OwnSteps {
  struct Posterize: ImageProcessing, Encodable {
    var levels = 8

    func process(
      _ bitmap: BGRABitmap, context: ProcessingContext
    ) throws(ProcessingError) -> BGRABitmap { bitmap }
  }

  enum Kind: String, Codable { case soft, hard }
  enum Edge: Encodable, Hashable {
    case none
    case line(width: Double, dashes: [Int])
  }

  struct Everything: ImageProcessing, Encodable {
    var count = 1
    var large = UInt64.max
    var amount = 0.1
    var narrow: Float = 0.1
    var isOn = true
    var name = "a"
    var kind = Kind.soft
    var edge = Edge.line(width: 2, dashes: [1, 2])
    var offsets = [1.5, 2]
    var mask: Int?
    var data = Data([1, 2])
    var tags: Set<String> = ["x", "y"]
    var weights = ["x": 1, "y": 2]

    func process(
      _ bitmap: BGRABitmap, context: ProcessingContext
    ) throws(ProcessingError) -> BGRABitmap { bitmap }
  }

  struct Bare: ImageProcessing, Encodable {
    func process(
      _ bitmap: BGRABitmap, context: ProcessingContext
    ) throws(ProcessingError) -> BGRABitmap { bitmap }
  }

  /// Encodes itself by hand, with containers of each kind.
  struct ByHand: ImageProcessing, Encodable {
    enum Keys: CodingKey { case nothing, list, value, own }

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: Keys.self)
      try fields.encodeNil(forKey: .nothing)
      var list = fields.nestedUnkeyedContainer(forKey: .list)
      try list.encodeNil()
      try list.encode(list.count)
      var inner = list.nestedContainer(keyedBy: Keys.self)
      try inner.encode(2, forKey: .value)
      var innermost = list.nestedUnkeyedContainer()
      try innermost.encode("x")
      try [3].encode(to: fields.superEncoder(forKey: .own))
      try 4.encode(to: fields.superEncoder())
    }

    func process(
      _ bitmap: BGRABitmap, context: ProcessingContext
    ) throws(ProcessingError) -> BGRABitmap { bitmap }
  }

  enum Direction: String, ImageProcessing, Encodable {
    case up, down

    func process(
      _ bitmap: BGRABitmap, context: ProcessingContext
    ) throws(ProcessingError) -> BGRABitmap { bitmap }
  }
}

private struct Hidden: ImageProcessing, Encodable {
  var level = 3

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    bitmap
  }
}

@Suite("Identifiers of processors")
struct ProcessorIdentifierTests {
  typealias Everything = OwnSteps.Everything

  @Test("are made of the name of the type and its values, and stay the same from run to run")
  func texts() {
    let module = "OzuImagingTests"
    #expect(OwnSteps.Posterize().identifier == "\(module).OwnSteps.Posterize(levels:8)")
    #expect(OwnSteps.Bare().identifier == "\(module).OwnSteps.Bare()")
    #expect(OwnSteps.Direction.up.identifier == "\(module).OwnSteps.Direction(2:up)")
    #expect(
      OwnSteps.ByHand().identifier
        == "\(module).OwnSteps.ByHand(nothing:nil,list:[nil,1,(value:2),[1:x]],own:[3],super:4)")
    // The runtime's name contains an address here.
    #expect(Hidden().identifier == "\(module).Hidden(level:3)")
    #expect(
      Everything().identifier
        == "\(module).OwnSteps.Everything(count:1,large:18446744073709551615,amount:0.1,"
        + "narrow:0.1,isOn:true,name:1:a,kind:4:soft,edge:(line:(width:2.0,dashes:[1,2])),offsets:[1.5,2.0],"
        + "data:[1,2],tags:{1:x,1:y},weights:{1:x=1,1:y=2})")
  }

  /// Each differs from the default in one value.
  static let variations: [@Sendable (inout Everything) -> Void] = [
    { $0.count = 2 }, { $0.large = 1 }, { $0.amount = 0.1.nextUp }, { $0.narrow = Float(0.1).nextUp },
    { $0.isOn = false }, { $0.name = "b" }, { $0.name = "" }, { $0.name = "a,kind:4:hard" },
    { $0.kind = .hard },
    { $0.edge = .none }, { $0.edge = .line(width: 2, dashes: [12]) },
    { $0.edge = .line(width: 2, dashes: []) },
    { $0.offsets = [1.5] }, { $0.offsets = [2, 1.5] }, { $0.mask = 1 }, { $0.data = Data([12]) },
    { $0.data = Data(repeating: 1, count: 5000) }, { $0.data = Data(repeating: 1, count: 4999) + [2] },
    { $0.tags = ["x"] }, { $0.tags = ["x,y"] }, { $0.tags = ["1:x,1:y"] }, { $0.weights = ["x": 2, "y": 1] },
    { $0.amount = -0.0 },
    { $0.amount = 0 },
  ]

  @Test("differ if any value differs")
  func differences() {
    let texts = Self.variations.map { change in
      var step = Everything()
      change(&step)
      return step.identifier
    }
    #expect(Set(texts + [Everything().identifier]).count == texts.count + 1)
  }

  @Test("of sets and dictionaries do not depend on the order of insertion")
  func unordered() {
    let names = (0..<40).map { "n\($0)" }
    let texts = (0..<20).map { round in
      var step = Everything()
      step.tags = Set(names.shuffled())
      step.weights = [:]
      step.weights.reserveCapacity(round * 10)
      for name in names.shuffled() { step.weights[name] = name.utf8.count }
      return step.identifier
    }
    #expect(Set(texts).count == 1)
  }

  @Test("of marks are made of their pixels, or of a key")
  func marks() {
    let mark = Bitmap.noise(size: PixelSize(9, 5))
    let same = Watermark(Bitmap.noise(size: PixelSize(9, 5)))
    #expect(Watermark(mark).identifier == same.identifier)
    var texts = (2..<60).map { Watermark(.noise(size: PixelSize(9, 5), seed: $0)).identifier }
    texts.append(Watermark(mark).identifier)
    texts.append(Watermark(.flat(.clear, size: PixelSize(9, 5))).identifier)
    texts.append(Watermark(.flat(.clear, size: PixelSize(5, 9))).identifier)
    texts.append(Watermark(mark, key: "#1").identifier)
    #expect(Set(texts).count == texts.count)
    // Keys of the user are written as in earlier versions, because results on disk are stored under them.
    #expect(Watermark(mark, key: "m").identifier == "watermark(1:m,9x5,bottomRight,0,1.0,normal)")
  }

  /// The identifiers under which results are stored on disk.
  static let stored: [(any ImageProcessing, String)] = [
    (Resize(PixelSize(9, 8)), "resize(9x8,aspectFit,,lanczos3)"),
    (.crop(.rectangle(PixelRectangle(x: 1, y: 2, width: 3, height: 4))), "crop(1,2,3x4)"),
    (.crop(.proportions(PixelSize(1, 2), .top)), "crop(1x2,top)"),
    (.crop(.attention(PixelSize(1, 2))), "crop(1x2,attention)"),
    (.pad(to: PixelSize(3, 4)), "pad(3x4,#00000000,center)"), (.trim(), "trim(10)"),
    (.trim(tolerance: 3, color: .black, evenAxes: .vertical), "trim(3,#000000ff,2)"),
    (.pixelate(blockSide: 8), "pixelate(8)"),
    (.turn(.left), "turn(left)"),
    (.roundedCorners(radius: 2.5), "rounded(2.5)"),
    (.circle(border: .init(width: 1, color: .white)), "circle(,1.0,#ffffffff)"),
    (.gaussianBlur(radius: 0.8), "blur(0.8)"), (.sharpen(), "sharpen(0.5,1.0)"),
    (.grayscale, "color(0.0,1.0,0.0)"),
    (.tint(.black), "tint(#000000ff,overlay)"), (.custom("a") { $0 }, "custom(1:a)"),
    (Composition([.grayscale, .trim()]), "(color(0.0,1.0,0.0)>trim(10))"),
  ]

  @Test("of the steps that come with Ozu never change", arguments: stored.indices)
  func builtIn(index: Int) {
    #expect(Self.stored[index].0.identifier == Self.stored[index].1)
  }
}
