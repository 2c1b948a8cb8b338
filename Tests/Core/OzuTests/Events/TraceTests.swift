import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A trace opens in a trace viewer")
struct TraceTests {
  /// An event of the Trace Event Format.
  private struct Event: Decodable {
    let name: String
    let cat: String
    let ph: String
    let ts: Double
    let dur: Double?
    let pid: Int
    let tid: Int
    let id: String?
    let s: String?
  }

  private struct File: Decodable {
    let traceEvents: [Event]
    let displayTimeUnit: String
  }

  private func trace(_ recorder: TraceRecorder) async throws -> [Event] {
    let fixture = Fixture { $0.observers = [recorder] }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        let url = try fixture.serve("\(number % 6).jpg")
        let request = ImageRequest(url: url, resize: Fixture.small)
        group.addTask { _ = try await fixture.pipeline.image(for: request) }
      }
      group.addTask { _ = try? await fixture.pipeline.image(for: Fixture.url("none")) }
      try await group.waitForAll()
    }
    await fixture.pipeline.flush()
    let file = try JSONDecoder().decode(File.self, from: recorder.json())
    #expect(file.displayTimeUnit == "ms")
    return file.traceEvents
  }

  @Test("a stage that is reported late has a track that was free when it began")
  func lateStage() {
    var tracks = TraceTracks()
    let first = tracks.take(.disk, from: 0)
    tracks.give(first, until: 10)
    let late = tracks.take(.disk, from: 9)
    #expect(late != first)
    #expect(tracks.take(.disk, from: 10) == first)
    tracks.give(late, until: 11)
    #expect(tracks.take(.disk, from: 12) == late)
  }

  @Test("a group with thousands of tracks does not run into the next one")
  func manyTracks() {
    var tracks = TraceTracks()
    let taken = (0..<1_500).map { _ in tracks.take(.network, from: 0) }
    #expect(Set(taken + [tracks.take(.disk, from: 0)]).count == 1_501)
    for track in taken { tracks.give(track, until: 1) }
    #expect(tracks.take(.network, from: 1) == taken[0])
  }

  @Test("every event has the fields of its kind, spans are paired, and no two on a track overlap")
  func shape() async throws {
    let events = try await trace(TraceRecorder())
    #expect(Set(events.map(\.ph)) == ["M", "b", "e", "X", "C", "i"])
    for event in events {
      #expect(event.pid == 1 && event.ts >= 0)
      #expect((event.dur != nil) == (event.ph == "X"))
      #expect((event.id != nil) == ["b", "e"].contains(event.ph))
      #expect((event.s == "t") == (event.ph == "i"))
    }
    let (begun, ended) = (events.filter { $0.ph == "b" }, events.filter { $0.ph == "e" })
    #expect(begun.count == ended.count)
    #expect(Set(begun.map { "\($0.cat) \($0.id ?? "")" }) == Set(ended.map { "\($0.cat) \($0.id ?? "")" }))
    #expect(begun.count { $0.cat == "request" } == 13)

    let names = events.filter { $0.ph == "M" }
    let spans = Dictionary(grouping: events.filter { $0.ph == "X" }, by: \.tid)
    for (track, spans) in spans {
      #expect(names.contains { $0.tid == track && $0.name == "thread_name" })
      let spans = spans.sorted { $0.ts < $1.ts }
      for (span, next) in zip(spans, spans.dropFirst()) {
        #expect(span.ts + (span.dur ?? 0) <= next.ts + 0.01, "\(span.name) and \(next.name) on \(track)")
      }
    }
    #expect(
      Set(events.filter { $0.ph == "X" }.map(\.name)) == [
        "read", "network", "decode", "resize", "encode", "store",
      ])
    #expect(
      Set(events.filter { $0.ph == "C" }.map(\.name)) == ["requests", "downloads", "downloaded", "decodes"])
  }

  @Test("a trace does not grow past its limit, and ends the spans that it has begun")
  func limit() async throws {
    let recorder = TraceRecorder(eventLimit: 40)
    let events = try await trace(recorder).filter { $0.ph != "M" }
    #expect(events.count >= 40)
    #expect(events.dropFirst(40).allSatisfy { $0.ph == "e" })
    #expect(events.count { $0.ph == "b" } == events.count { $0.ph == "e" })
    #expect(recorder.droppedEventCount > 0)
    recorder.removeAll()
    #expect(recorder.eventCount == 0)
  }
}
