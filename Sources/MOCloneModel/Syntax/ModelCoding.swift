/// JSON in the shape of the model file's long form, so that the one can be read as the other.
extension ObjectModel: Codable {
  public func encode(to encoder: any Encoder) throws {
    try form.encode(to: encoder)
  }

  /// - Throws: `ModelError` with every finding where the model is faulty, `DecodingError` where the text is no JSON.
  public init(from decoder: any Decoder) throws {
    let context = ReadingContext()
    let parsed = ModelParser.parse(try SyntaxNode(from: decoder), context: context)
    guard let model = parsed.model else {
      throw ModelError(diagnostics: parsed.diagnostics.map { $0.withoutPlaces() })
    }
    self = model
  }
}
