/// Brings elements into the order of the lists that they are in.
final class ListOrder {
  /// How many elements of each owner are still to come.
  private var left = DenseMap()
  /// The place of each element, from 1.
  private var numbers = DenseMap()

  deinit {
    left.deallocate()
    numbers.deallocate()
  }

  /// The order of some elements in which those of one owner follow each other as in its list; elements that are
  /// to get another owner than they have come last.
  func order(of elements: [Row], owners: [Row], in list: RowList) -> [Int] {
    left.reserve(list.first.cells.count)
    numbers.reserve(list.owner.cells.count)
    let movers = number(elements, owners: owners, list: list)
    var order: [Int] = []
    order.reserveCapacity(elements.count)
    for (i, owner) in owners.enumerated() {
      var count = left[owner]
      guard count > 0 else { continue }
      left[owner] = 0
      // A list that got a single clone need not be walked, however long it is.
      var element = count == 1 && numbers[elements[i]] != 0 ? elements[i] : list.first[owner]
      while count > 0 {
        if numbers[element] != 0 {
          order.append(Int(numbers[element]) - 1)
          count -= 1
        }
        element = list.next[element]
      }
    }
    for element in elements { numbers[element] = 0 }
    return order + movers
  }

  /// Notes the places of elements that keep their owner.
  ///
  /// - Returns: the places of those that do not.
  private func number(_ elements: [Row], owners: [Row], list: RowList) -> [Int] {
    var movers: [Int] = []
    for (i, element) in elements.enumerated() {
      guard list.owner[element] == owners[i] else {
        movers.append(i)
        continue
      }
      left[owners[i]] += 1
      numbers[element] = Int32(i) + 1
    }
    return movers
  }
}
