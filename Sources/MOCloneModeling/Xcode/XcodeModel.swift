import Foundation
import MOCloneModel
import MOCloneYAML

/// Reads Xcode's XML as a model.
package enum XcodeModel {
  /// Reads and validates the XML; findings are at its lines.
  ///
  /// - Parameter name: the model's name, where the XML does not say it.
  package static func parse(_ source: SourceFile, name: String) -> ParsedModel {
    let context = ReadingContext(notesPlaces: false)
    do throws(ModelError) {
      let root = try XcodeXMLReader.read(source).root
      let parsed = ModelParser.parse(try syntax(root, name: name, context: context).node, context: context)
      return parsed.with(source.addingFixes(to: parsed.diagnostics))
    } catch {
      return ParsedModel(model: nil, diagnostics: error.diagnostics, root: nil)
    }
  }

  /// The elements in the shape of a model file.
  static func syntax(
    _ root: XcodeElement, name: String, context: ReadingContext
  ) throws(ModelError) -> (node: SyntaxNode, omissions: [String]) {
    guard root.name == "model" else { throw ModelError(.otherRoot(root)) }
    var reader = XcodeModelReader(context)
    let node = reader.model(root, name: name)
    return (node, reader.omissions.sentences)
  }
}

extension ModelDraft {
  /// The model of an `.xcdatamodeld`, an `.xcdatamodel` or the file in it.
  init(xcodeAt path: String, version: String?) throws {
    let bundle = try XcodeBundle(path, version: version)
    try self.init(xcode: bundle.source(), name: bundle.name)
    comments[.model] = ["Read from \(bundle.title)."]
  }

  /// The model of an Xcode model's XML.
  ///
  /// - Throws: `ModelError` with every finding where parts of the XML have no meaning; a model that has one but is faulty
  ///   is a draft.
  package init(xcode source: SourceFile, name: String) throws(ModelError) {
    let (root, remarks) = try XcodeXMLReader.read(source)
    do throws(ModelError) {
      try self.init(elements: root, name: name)
    } catch {
      throw ModelError(diagnostics: error.diagnostics, source: source)
    }
    if remarks.comments > 0 {
      omissions.append("Left out: comments in the XML, which Xcode removes as well.")
    }
    for element in remarks.texts.sorted() { omissions.append("Left out: the text in <\(element)>.") }
  }

  /// The model of elements, wherever they come from.
  init(elements root: XcodeElement, name: String) throws(ModelError) {
    let context = ReadingContext()
    let (node, words) = try XcodeModel.syntax(root, name: name, context: context)
    let model = ModelParser.read(node, context)
    let findings = context.located()
    guard let model, !findings.contains(where: \.forbidsUse) else {
      throw ModelError(diagnostics: findings)
    }
    self.init(model)
    omissions = words.map { "Left out: \($0)." }
  }
}

extension Diagnostic {
  static func otherRoot(_ root: XcodeElement) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: .model,
      "the XML is not an Xcode model: its root is <\(root.name.shortened)>, not <model>",
      help: "name an .xcdatamodeld, an .xcdatamodel, or the file 'contents' in it", range: root.range)
  }
}
