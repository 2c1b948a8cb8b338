import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("The order of requests from many lines")
struct RequestQueueTests {
  private func job(_ id: Int, _ address: String) throws -> RequestQueue.Job {
    let url = try #require(URL(string: "http://a/"))
    return RequestQueue.Job(
      id: .integer(id), request: HTTPRequest(url: url), mode: .default, address: address)
  }

  private func number(_ job: RequestQueue.Job) -> Int {
    if case .integer(let number) = job.id { number } else { -1 }
  }

  @Test("at most 64 tasks; a task then goes on with the oldest request")
  func tasks() throws {
    let queue = RequestQueue()
    for id in 0..<100 { #expect(queue.add(try job(id, "\(id)")) == (id < 64)) }
    for id in 64..<100 { #expect(queue.next(after: "\(id - 64)").map(number) == id) }
    for id in 36..<100 { #expect(queue.next(after: "\(id)") == nil) }
    #expect(queue.add(try job(100, "0")))
  }

  @Test("requests for one address are performed one after the other, by one task")
  func addresses() throws {
    let queue = RequestQueue()
    let first = try job(0, "a")
    #expect(queue.add(first) && queue.isLast(first))
    #expect(try !queue.add(job(1, "a")))
    #expect(try queue.add(job(2, "b")))
    #expect(try !queue.add(job(3, "a")))
    #expect(!queue.isLast(first))
    #expect(queue.next(after: "b") == nil)
    #expect(!queue.isLast(first))
    #expect(queue.next(after: "a").map(number) == 1)
    #expect(try queue.isLast(#require(queue.next(after: "a"))))
    #expect(queue.next(after: "a") == nil)
  }

  @Test(
    "the reader waits while there is no room, and goes on when there is",
    arguments: [(0..<192).map(String.init), Array(repeating: "a", count: 1025)])
  func room(addresses: [String]) async throws {
    let queue = RequestQueue()
    for (id, address) in addresses.enumerated() {
      await queue.room()
      _ = queue.add(try job(id, address))
    }
    let hasRoom = Atomic(false)
    let reader = Task {
      await queue.room()
      hasRoom.store(true, ordering: .relaxed)
    }
    // If a request ended before the reader waits, the reader would find room.
    while !queue.isReaderWaiting { await Task.yield() }
    // Exactly as many as make room: one of those that wait, or half of those that are ready.
    for address in addresses.prefix(addresses.count == 192 ? 63 : 0) { _ = queue.next(after: address) }
    let isEarly = hasRoom.load(ordering: .relaxed)
    #expect(!isEarly)
    _ = queue.next(after: addresses[addresses.count == 192 ? 63 : 0])
    await reader.value
    let isDone = hasRoom.load(ordering: .relaxed)
    #expect(isDone)
  }

  @Test("same order for each address as a naive queue, and no request is lost", arguments: [1, 2, 3])
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let queue = RequestQueue()
    var (added, done) = ([String: [Int]](), [String: [Int]]())
    var running: [RequestQueue.Job] = []
    var id = 0
    func end(_ index: Int) {
      let job = running.remove(at: index)
      done[job.address, default: []].append(number(job))
      if let next = queue.next(after: job.address) { running.append(next) }
    }
    for _ in 0..<5000 {
      if Bool.random(using: &random) || running.isEmpty {
        let new = try job(id, "\(Int.random(in: 0..<200, using: &random))")
        added[new.address, default: []].append(id)
        id += 1
        if queue.add(new) { running.append(new) }
      } else {
        end(Int.random(in: running.indices, using: &random))
      }
      #expect(running.count <= 64)
      #expect(Set(running.map(\.address)).count == running.count)
    }
    while !running.isEmpty { end(0) }
    #expect(done == added)
  }
}
