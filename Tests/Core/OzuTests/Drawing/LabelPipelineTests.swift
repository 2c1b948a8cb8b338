#if SVG && os(Linux)
  import Foundation
  import Ozu
  import Testing

  @Suite("Labels of a pipeline")
  struct LabelPipelineTests {
    private let pipeline = ImagePipeline {
      $0.caching.diskStorage = .none
      $0.decoding.limits.decodedByteCount = 4 << 20
    }

    @Test("are measured and drawn on its threads, within its limits")
    func drawing() async throws {
      let label = Label("Ada", size: 20)
      guard let size = try? await label.size(in: pipeline) else {
        return print("not checked: no labels are drawn here")
      }
      let picture = try await pipeline.picture(of: label)
      #expect(picture.size == size && picture.notes.isEmpty)
      #expect(try pipeline.labelDrawing.draw(label) == picture.bitmap)
      let large = Label("MMMMMMMM", size: 1500)
      _ = try await large.size(in: pipeline)
      do throws(LabelError) {
        _ = try await pipeline.picture(of: large)
        Issue.record("it was drawn")
      } catch {
        guard case .limitExceeded(let violation) = error else { throw error }
        #expect(violation.quantity == .decodedByteCount)
      }
    }
  }
#endif
