import OzuUIKit
import UIKit

/// A list of photographs: each row has its picture in the size of its image view, rows that come next are loaded
/// ahead, and a row that is reused cancels its former load.
final class PhotoListController: UITableViewController {
  private let addresses: [URL]
  private let prefetcher = ImagePrefetcher()

  init(addresses: [URL]) {
    self.addresses = addresses
    super.init(style: .plain)
    title = "Photographs"
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) {
    nil
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.rowHeight = PhotoCell.height
    tableView.register(PhotoCell.self, forCellReuseIdentifier: PhotoCell.identifier)
    tableView.prefetchDataSource = self
  }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    addresses.count
  }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: PhotoCell.identifier, for: indexPath)
    (cell as? PhotoCell)?.show(addresses[indexPath.row])
    return cell
  }
}

extension PhotoListController: UITableViewDataSourcePrefetching {
  func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
    prefetcher.start(requests(indexPaths))
  }

  func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
    prefetcher.stop(requests(indexPaths))
  }

  private func requests(_ indexPaths: [IndexPath]) -> [ImageRequest] {
    indexPaths.map { ImageRequest(url: addresses[$0.row], priority: .low, format: PhotoCell.format) }
  }
}
