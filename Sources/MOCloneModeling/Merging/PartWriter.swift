import MOCloneModel

/// The text of single parts of a draft, as the whole file has them, with the model's names.
struct PartWriter {
  /// Without a line yet.
  private let text: YAMLText
  private var draft: ModelDraft { text.draft }

  init(draft: ModelDraft, addition: Addition) {
    var renamed = draft
    renamed.comments = Dictionary(
      draft.comments.map { (addition.path($0), $1) }, uniquingKeysWith: { $0 + $1 })
    for i in renamed.suggestions.indices {
      renamed.suggestions[i].path = addition.path(renamed.suggestions[i].path)
    }
    text = YAMLText(renamed)
  }

  func entry(_ entity: EntityDescription) -> FileEditor.NewEntry {
    var text = self.text
    let form = form(of: entity)
    text.writeEntity(entity.name, form: form)
    // Behind the blank line that the file has between its entities, and without its indentation.
    return entry(entity.name, form: form, lines: text.lines.dropFirst().map { String($0.dropFirst(2)) })
  }

  private func form(of entity: EntityDescription) -> FormNode {
    let model = ObjectModel(
      unvalidated: "", userInfoKeys: draft.userInfoKeys, store: draft.store, entities: [entity])
    guard case .map(let keys) = model.form,
      case .map(let entities)? = keys.first(where: { $0.key == "entities" })?.value
    else { return .map([]) }
    return entities.first?.value ?? .map([])
  }

  func entry(_ attribute: AttributeDescription, of entity: String) -> FileEditor.NewEntry {
    property(attribute.name, form: attribute.form, at: .entity(entity) / "attributes" / attribute.name)
  }

  func entry(_ relationship: RelationshipDescription, of entity: String) -> FileEditor.NewEntry {
    property(
      relationship.name, form: relationship.form, at: .entity(entity) / "relationships" / relationship.name)
  }

  private func property(_ name: String, form: FormNode, at path: ModelPath) -> FileEditor.NewEntry {
    var text = self.text
    text.writeProperty(name, form: form, at: path, indent: 0)
    return entry(name, form: form.withPlainJoin, lines: text.lines)
  }

  private func entry(_ name: String, form: FormNode, lines: [String]) -> FileEditor.NewEntry {
    FileEditor.NewEntry(name: name, lines: lines, flow: "\(YAMLScalar.text(name)): \(form.flow)")
  }
}
