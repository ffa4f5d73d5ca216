import Foundation
import MOCloneEngine
import MOCloneModel
import Testing

@Suite struct ValueCheckTests {
  @Test func aLimitOfAStringIsALengthAndNoLimitHasAFractionThatItWasNotGiven() {
    let name = AttributeDescription(name: "name", type: .string, maximum: 5)
    let number = AttributeDescription(name: "n", type: .integer32, minimum: 0, maximum: 100)
    let price = AttributeDescription(name: "price", type: .double, minimum: 0.5)
    let cases: [(AttributeDescription, AttributeValue, String)] = [
      (name, "Adalbert", "'name' of P has 8 characters, but must have at most 5: 'Adalbert'"),
      (number, 101, "'n' of P is '101', above its maximum 100"),
      (number, -1, "'n' of P is '-1', below its minimum 0"),
      (price, 0.25, "'price' of P is '0.25', below its minimum 0.5"),
    ]
    for (attribute, value, message) in cases {
      let error = #expect(throws: CloneError.self) { try attribute.checked(value, for: "P") }
      #expect(error?.failures.first?.message == message)
    }
  }

  @Test func limitsAreComparedByAllTheirDigits() throws {
    let even = AttributeDescription(name: "n", type: .integer64, maximum: 9_007_199_254_740_992)
    #expect(throws: CloneError.self) { try even.checked(.integer(9_007_199_254_740_993), for: "P") }
    let odd = AttributeDescription(name: "n", type: .integer64, minimum: -9_007_199_254_740_993)
    #expect(try odd.checked(.integer(-9_007_199_254_740_993), for: "P") == .integer(-9_007_199_254_740_993))
    #expect(throws: CloneError.self) { try odd.checked(.integer(-9_007_199_254_740_994), for: "P") }
    let most = try #require(ValueLimit("0.12345678901234567891"))
    let price = AttributeDescription(name: "price", type: .decimal, maximum: most)
    #expect(throws: CloneError.self) { try price.checked("0.12345678901234567892", for: "P") }
    #expect(try !price.checked("0.12345678901234567891", for: "P").isNull)
    #expect(most.description == "0.12345678901234567891")
  }

  @Test func limitsAreEqualWhereNeitherIsLess() throws {
    let values: [AttributeValue] = [
      .double(9_007_199_254_740_992), .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
      .decimal(9_007_199_254_740_993), .double(0.5), .decimal(0.5), .double(5), .integer(5), .decimal(5),
    ]
    let numbers = try values.map { try #require($0.measure) }
    for one in numbers {
      for other in numbers {
        #expect((one == other) == !(one < other || other < one), "\(one) and \(other)")
        #expect(one != other || one.hashValue == other.hashValue, "\(one) and \(other)")
      }
    }
    let equal = try #require(AttributeValue.double(5).measure)
    #expect(equal == 5 && equal != 6)
  }
}
