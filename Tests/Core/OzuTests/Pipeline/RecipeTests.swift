import Foundation
import Testing

@testable import Ozu

@Suite struct RecipeTests {
  /// A change of one part of a recipe.
  struct Change: Sendable, CustomTestStringConvertible {
    /// The property that it changes.
    let field: String
    /// Whether a larger picture with this change may stand in for the source, and whether a picture with it may be made from one
    /// without.
    var serves = false
    var isServed = true
    let change: @Sendable (inout Recipe) -> Void

    var testDescription: String { field }

    static func resize(
      _ field: String, serves: Bool = false, isServed: Bool = true,
      _ change: @escaping @Sendable (inout Resize) -> Void
    ) -> Change {
      Change(field: field, serves: serves, isServed: isServed) { recipe in
        var resize = recipe.parts.resize ?? Resize(PixelSize(1, 1))
        change(&resize)
        recipe.parts.resize = resize
      }
    }
  }

  private static let resize = Resize(PixelSize(600, 400), mode: .aspectFill)

  private static let resizeChanges: [Change] = [
    .resize("size", serves: true) { $0.size.width = 599 },
    .resize("mode", serves: true) { $0.mode = .fill },
    .resize("crops", serves: true) { $0.crops = false },
    .resize("allowsUpscaling", serves: true) { $0.allowsUpscaling = true },
    .resize("sidesOfSmall", serves: true) { $0.sidesOfSmall = PixelSize(300, 200) },
    .resize("kernel") { $0.kernel = .box },
    .resize("quality") { $0.quality = .fast },
    .resize("light", isServed: false) { $0.light = .linear },
    .resize("allowsEmbeddedThumbnail") { $0.allowsEmbeddedThumbnail = true },
    .resize("region") { $0.region = PixelRectangle(x: 0, y: 0, width: 9, height: 9) },
  ]
  private static let decodingChanges: [Change] = [
    Change(field: "policy", isServed: false) { $0.parts.decoding.policy = .keep },
    Change(field: "policy", isServed: false) {
      $0.parts.decoding.policy = ColorPolicy.standard == .keepProfile ? .convertToSRGB : .keepProfile
    },
    Change(field: "headroomStops", isServed: false) { $0.parts.decoding.setHeadroom(2) },
    Change(field: "allowsTruncation", isServed: false) { $0.parts.decoding.allowsTruncation = true },
  ]
  private static let hooked = CacheFormat("a") { $0.postResize = { _, picture in picture } }
  static let changes: [Change] =
    resizeChanges + decodingChanges + [
      Change(field: "processors") { $0.parts.processors = [.grayscale] },
      Change(field: "format", serves: true) { $0.parts.format = CacheFormat("a") },
      Change(field: "hooks", isServed: false) { $0.parts.format = hooked },
    ]

  @Test("every part of a recipe changes the key", arguments: changes)
  func keys(_ change: Change) {
    var changed = Recipe(resize: Self.resize)
    change.change(&changed)
    let source = CacheKey("a")
    #expect(changed.key(of: source) != Recipe(resize: Self.resize).key(of: source))
  }

  @Test("every part of a recipe is compared before a picture is made from a larger one", arguments: changes)
  func comparisons(_ change: Change) {
    let recipe = Recipe(resize: Self.resize)
    var changed = recipe
    change.change(&changed)
    #expect(recipe.canBeMade(from: recipe))
    #expect(recipe.canBeMade(from: changed) == change.serves)
    #expect(changed.canBeMade(from: recipe) == change.isServed)
  }

  @Test("a resize that changes nothing is none, and that of a format replaces any other")
  func resizes() {
    var recipe = Recipe(resize: Resize(PixelSize(9, 9), mode: .none))
    #expect(recipe.parts.resize == nil)
    recipe.parts.resize = Self.resize
    #expect(recipe.parts.resize == Self.resize)
    recipe.parts.resize?.mode = .none
    #expect(recipe.parts.resize == nil)
    let format = CacheFormat("a", size: PixelSize(9, 9))
    #expect(Recipe(resize: Self.resize, format: format).parts.resize == format.resize)
    #expect(Recipe(resize: Self.resize, format: CacheFormat("a")).parts.resize == nil)
  }

  @Test("the changes above are all there are")
  func completeness() {
    func fields(_ value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }
    #expect(fields(Self.resize) == Set(Self.resizeChanges.map(\.field)))
    #expect(fields(RequestedDecoding.plain) == Set(Self.decodingChanges.map(\.field)))
    for change in Self.resizeChanges {
      var changed = Recipe(resize: Self.resize)
      change.change(&changed)
      #expect(changed.parts.resize != Self.resize, "\(change.field)")
    }
  }

  @Test("the picture before the last processors is that of the request without them", arguments: 0...2)
  func prefixes(_ count: Int) {
    let processors: [any ImageProcessing] = [.grayscale, .circle()]
    func request(_ processors: [any ImageProcessing]) -> ImageRequest {
      ImageRequest(.data(Data(), key: "a"), resize: Self.resize, processors: processors)
        .with { $0.colorPolicy = .keep }
    }
    let key = request(Array(processors.prefix(count))).key
    #expect(request(processors + [.grayscale]).prefixKey(processorCount: count) == key)
    #expect(request(processors + [.grayscale]).recipeKeys(beforeLast: 3)[count] == key.rendition)
  }

  @Test("a load is not waited for whose picture cannot be used")
  func waiting() {
    let smaller = Recipe(resize: Resize(PixelSize(300, 200), mode: .aspectFill))
    #expect(smaller.isWorthWaiting(for: Recipe(resize: Self.resize)))
    let (size, mode) = (Self.resize.size, Self.resize.mode)
    let (plain, hooked) = (
      CacheFormat("a", size: size, mode: mode),
      CacheFormat("a", size: size, mode: mode) { $0.postResize = { _, picture in picture } }
    )
    #expect(smaller.isWorthWaiting(for: Recipe(format: plain)))
    #expect(!smaller.isWorthWaiting(for: Recipe(format: hooked)))
    var part = Self.resize
    part.region = PixelRectangle(x: 0, y: 0, width: 900, height: 900)
    var smallerPart = part
    smallerPart.size = PixelSize(300, 200)
    #expect(!Recipe(resize: smallerPart).isWorthWaiting(for: Recipe(resize: part)))
  }
}
