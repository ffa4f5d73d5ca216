import MOCloneSQL
import Testing

@Suite("The order in which tables are written")
struct WriteOrderTests {
  @Test("What others need comes first, whatever the order of the model")
  func chain() {
    let order = WriteOrder([[1], [2], []])
    #expect(order.order == [2, 1, 0])
    #expect(order.isAcyclic)
  }

  @Test("Cycle: what refers to a member of it is written after that member")
  func cycle() {
    let order = WriteOrder([[1], [2], [1], [0]])
    #expect(order.order == [1, 0, 2, 3])
    #expect(!order.isAcyclic)
  }

  @Test("Cycle: it begins with the table in whose rows triggers count the others")
  func countingCycle() {
    #expect(WriteOrder([[1], [0]]).order == [0, 1])
    #expect(WriteOrder([[1], [0]], counting: [1]).order == [1, 0])
  }

  @Test("What can be written at once keeps the order of the model, and comes before every cycle")
  func rounds() {
    let order = WriteOrder([[1], [], [0], [3], [6], [4, 2], [5]])
    #expect(order.order == [1, 3, 0, 2, 4, 5, 6])
    #expect(!order.isAcyclic)
  }
}
