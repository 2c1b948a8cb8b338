#if TIFF
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuStandardCodecs
  import OzuTesting
  import Testing

  private typealias Page = TIFFPages.Page

  @Suite("A pyramid in a TIFF")
  struct TIFFPyramidTests {
    private static let main = PixelSize(320, 240)
    private static let half = PixelSize(160, 120)
    /// The shade shows whether the picture or a level was used.
    private static let mainShade: UInt8 = 40
    private static let levelShade: UInt8 = 200

    /// A picture with one level.
    private static func pages(
      _ level: Page = Page(half, kind: 1, levelShade), isOwn: Bool = false
    ) -> TIFFPages {
      var first = Page(main, mainShade)
      if isOwn { first.own = [1] } else { first.next = 1 }
      return TIFFPages(pages: [first, level])
    }

    private func picture(_ pages: TIFFPages, _ resize: Resize?) throws -> Picture {
      try CodecRegistry.standard.picture(from: pages.data, resize: resize)
    }

    private func shade(_ pages: TIFFPages, _ size: PixelSize) throws -> UInt8 {
      try picture(pages, Resize(size)).bitmap[3, 3].green
    }

    // MARK: Which is used

    @Test(
      "gives small pictures from the level that is large enough, and large ones from the picture",
      arguments: [false, true])
    func levels(isOwn: Bool) throws {
      let pages = Self.pages(isOwn: isOwn)
      #expect(try shade(pages, PixelSize(80, 60)) == Self.levelShade)
      #expect(try shade(pages, PixelSize(81, 61)) == Self.mainShade)
      #expect(try picture(pages, nil).bitmap[3, 3].green == Self.mainShade)
      let small = try picture(pages, Resize(PixelSize(40, 30)))
      #expect(small.size == PixelSize(40, 30) && small.header?.size == Self.main)
      // A level with less than two pixels for each of the result is used only with `fast`.
      #expect(
        try picture(pages, Resize(PixelSize(160, 120), quality: .fast)).bitmap[3, 3].green == Self.levelShade)
      #expect(
        try picture(pages, Resize(PixelSize(40, 30), light: .linear)).bitmap[3, 3].green == Self.mainShade)
    }

    @Test("has several levels in any order, and the smallest that is large enough is used")
    func several() throws {
      var first = Page(Self.main, Self.mainShade)
      (first.own, first.next) = ([3], 1)
      var second = Page(PixelSize(40, 30), kind: 1, 80)
      second.next = 2
      let pages = TIFFPages(pages: [
        first, second, Page(Self.half, kind: 1, 120), Page(PixelSize(80, 60), kind: 1, 160),
      ])
      #expect(try shade(pages, PixelSize(80, 60)) == 120)
      #expect(try shade(pages, PixelSize(40, 30)) == 160)
      #expect(try shade(pages, PixelSize(20, 15)) == 80)
    }

    @Test("gives parts of a level at their place")
    func parts() throws {
      let pages = TIFFPages(
        pages: {
          var first = Page(Self.main) { x, y in UInt8((x / 4 + y / 2) & 127) }
          first.next = 1
          // The same slopes, and brighter by half.
          let level = Page(Self.half, kind: 1) { x, y in UInt8((x * 2 / 4 + y * 2 / 2) & 127 | 128) }
          return [first, level]
        }())
      let part = PixelRectangle(x: 96, y: 64, width: 64, height: 64)
      let picture = try picture(pages, Resize(PixelSize(16, 16), mode: .fill, region: part))
      #expect(picture.size == PixelSize(16, 16))
      for (x, y) in [(2, 2), (8, 5), (14, 13)] {
        let wanted = 128 + (96 + 4 * x) / 4 + (64 + 4 * y) / 2
        #expect(abs(Int(picture.bitmap[x, y].green) - wanted) <= 2, "\(x), \(y)")
      }
    }

    @Test("is turned upright as the picture says", arguments: [1, 3, 6, 8])
    func orientation(value: Int) throws {
      var pages = Self.pages(Page(Self.half, kind: 1) { x, _ in x < 80 ? 220 : 150 })
      pages.pages[0].orientation = value
      let turns = value == 6 || value == 8
      let picture = try picture(pages, Resize(turns ? PixelSize(60, 80) : PixelSize(80, 60)))
      #expect(picture.size == (turns ? PixelSize(60, 80) : PixelSize(80, 60)))
      let first = picture.bitmap[5, 5].green
      #expect(first == (value == 3 || value == 8 ? 150 : 220))
    }

    // MARK: Pages that are not levels

    /// Pages that declare to be levels and are not, and others that do not declare it.
    private static let lies: [(name: String, page: Page)] = {
      var lies: [(String, Page)] = [
        ("another aspect", Page(PixelSize(120, 120), kind: 1, levelShade)),
        ("nearly the aspect", Page(PixelSize(160, 116), kind: 1, levelShade)),
        ("larger", Page(PixelSize(640, 480), kind: 1, levelShade)),
        ("as large", Page(main, kind: 1, levelShade)), ("another page", Page(half, kind: 2, levelShade)),
        ("no kind", Page(half, kind: 0, levelShade)), ("a mask", Page(half, kind: 5, levelShade)),
      ]
      var page = Page(half, kind: 1, levelShade)
      for size in [PixelSize(0, 120), PixelSize(160, 0), PixelSize(0, 0), PixelSize(1 << 31, 3 << 29)] {
        page.statedSize = size
        lies.append(("of \(size)", page))
      }
      page.statedSize = nil
      page.isMissing = true
      lies.append(("without pixels", page))
      page = Page(half, kind: 1, levelShade)
      page.bits = 16
      lies.append(("of other bits", page))
      return lies
    }()

    @Test(
      "with a page that is wrongly declared as a level gives the picture", arguments: 0..<13, [false, true])
    func lies(index: Int, isOwn: Bool) throws {
      #expect(Self.lies.count == 13)
      let (name, page) = Self.lies[index]
      let pages = Self.pages(page, isOwn: isOwn)
      #expect(try shade(pages, PixelSize(40, 30)) == Self.mainShade, "\(name)")
      let part = PixelRectangle(x: 10, y: 10, width: 100, height: 100)
      let picture = try picture(pages, Resize(PixelSize(20, 20), mode: .fill, region: part))
      #expect(picture.bitmap[3, 3].green == Self.mainShade, "\(name)")
      let isPage = !isOwn && page.kind & 5 == 0
      let notes = try CodecRegistry.standard.header(of: pages.data).notes
      #expect(notes == (isPage ? ["only its first page is read"] : []), "\(name)")
    }

    @Test(
      "whose directories refer to each other in a loop, or to nothing, gives the picture or a valid level")
    func loops() throws {
      for (own, next, second) in [
        ([0], 0, 0), ([1], 1, 1), ([0, 1, 0, 1], 1, 0), ([7], 7, 7), ([7, 1], 1, 7),
        (Array(repeating: 1, count: 3000), 1, 1), (Array(repeating: 9, count: 60_000), 9, 9),
      ] as [([Int], Int, Int)] {
        var pages = Self.pages()
        (pages.pages[0].own, pages.pages[0].next) = (own, next)
        (pages.pages[1].own, pages.pages[1].next) = ([1, 0], second)
        let isThere = own.prefix(16).contains(1) || next == 1
        #expect(
          try shade(pages, PixelSize(40, 30)) == (isThere ? Self.levelShade : Self.mainShade),
          "\(own.prefix(4)) \(next) \(second)")
        #expect(try picture(pages, nil).bitmap[3, 3].green == Self.mainShade)
      }
    }

    @Test("of too many levels is read up to a limit")
    func many() throws {
      var pages = (0..<400).map { index in
        var page = Page(index == 0 ? Self.main : PixelSize(16, 12), kind: index == 0 ? 0 : 1, Self.mainShade)
        page.next = index + 1
        return page
      }
      pages.append(Page(Self.half, kind: 1, Self.levelShade))
      #expect(try shade(TIFFPages(pages: pages), PixelSize(40, 30)) == Self.mainShade)
    }

    // MARK: Files of others

    static let names = ["pyramid-pages", "pyramid-subifd"]

    @Test("of libvips gives nearly the same as the picture", arguments: names)
    func files(name: String) throws {
      let data = try fixture("parts/\(name).tif")
      let file = try CodecRegistry.standard.open(data)
      let whole = try CodecRegistry.standard.picture(from: data)
      var levelCount = 0
      for resize in [
        Resize(PixelSize(60, 60)), Resize(PixelSize(30, 30)),
        Resize(PixelSize(40, 40), mode: .aspectFill, crops: true),
        Resize(
          PixelSize(24, 24), mode: .fill, region: PixelRectangle(x: 60, y: 40, width: 128, height: 128)),
      ] {
        let context = DecodingContext()
        let plan = DecodePlan(of: file, resize: resize, context: context)
        let level = file.smaller(for: plan, limits: .default)
        levelCount += level == nil ? 0 : 1
        #expect((level?.header.storedSize.width ?? 0) < whole.size.width)
        let own = try CodecRegistry.standard.picture(from: data, resize: resize)
        let wanted = whole.resized(resize)
        #expect(own.size == wanted.size && own.header == whole.header)
        // The levels were made with the mean of four pixels.
        let mean = own.bitmap.meanDifference(from: wanted.bitmap)
        #expect(mean < 4, "\(resize.identifier): \(mean)")
      }
      #expect(levelCount == 4)
    }

    @Test(
      "of damaged files is a picture of the right size or an error", arguments: names, 0..<3 as Range<UInt64>)
    func damaged(name: String, seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let sound = try fixture("parts/\(name).tif")
      // The directories and the levels follow the tiles of the picture.
      let first = name == "pyramid-pages" ? 24_424 : 51_610
      for _ in 0..<60 {
        var data = sound
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          data[Int.random(in: first..<data.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
          data[first + Int.random(in: 0..<250, using: &generator)] = .random(in: 0...8, using: &generator)
        }
        let picture = try? CodecRegistry.standard.picture(
          from: data, resize: Resize(PixelSize(30, 30), mode: .fill))
        if let picture { #expect(picture.size.width <= 30 && picture.size.height <= 30, "seed \(seed)") }
      }
    }
  }
#endif
