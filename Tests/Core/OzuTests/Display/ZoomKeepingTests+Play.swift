import Foundation
import OzuTesting

@testable import Ozu

extension ZoomKeepingTests {
  /// A model, its scripted loader, and pixels for its requests.
  @MainActor
  struct Play {
    let script = ScriptedLoading()
    let pressure = ManualMemoryPressure()
    let model: ZoomModel
    let size = PixelSize(20_000, 16_000)

    init(byteBudget: Int = 8 << 20) {
      script.pressure = pressure
      model = ZoomModel(loader: script)
      model.wholeByteBudget = byteBudget
      model.resize(to: PixelSize(200, 160))
    }

    private static func isCut(_ load: ScriptedLoading.Load) -> Bool {
      if case .picture = load.request.source { true } else { false }
    }

    /// The loads of squares, and of pixels to keep.
    var cuts: [ScriptedLoading.Load] { script.live.filter(Self.isCut) }
    var decodes: [ScriptedLoading.Load] { script.live.filter { !Self.isCut($0) } }
    var decodeCount: Int { script.loads.count { !Self.isCut($0) } }

    func answer(_ load: ScriptedLoading.Load) {
      var source = size
      if case .picture(let kept, _) = load.request.source { source = kept.size }
      let size = ResizeGeometry(source: source, resize: load.request.resize).outputSize
      let bitmap = Bitmap(size: size, isOpaque: true) { bytes, _ in
        bytes.initializeMemory(as: UInt8.self, repeating: 128)
      }
      load.finish(Picture(bitmap, header: ImageHeader(type: .png, storedSize: self.size)))
    }

    func answerAll() {
      while let load = script.live.first(where: { load in !done.value.contains(ObjectIdentifier(load)) }) {
        done.change { $0.insert(ObjectIdentifier(load)) }
        answer(load)
      }
    }

    private let done = Shared<Set<ObjectIdentifier>>([])

    func begin() {
      model.setImage(ImageRequest(url: Stage.url("a.png")))
      answerAll()
    }

    func zoom(to scale: Double) { model.change { $0.zoom(to: scale, at: (100, 80)) } }
  }
}
