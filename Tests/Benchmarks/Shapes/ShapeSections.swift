extension Section {
  static let tree = Section(name: "tree") { setting in
    try FolderTree(count: setting.rows, fanOut: 10).compare(
      setting, ours: .foldersByMoclone,
      with: [
        Rival(work: .foldersByLoop, title: "set SQL by hand, a statement a generation", limit: 1.25)
      ], runs: setting.runs)
  }

  static let diamonds = Section(name: "diamonds") { setting in
    try CellGrid(cells: setting.rows).compare(
      setting, ours: .cellsByMoclone,
      with: [
        Rival(
          work: .cellsByQuery, title: "a recursive query by hand, whose keys are in another order",
          limit: 1.25),
        Rival(work: .cellsByLoop, title: "a loop by hand, whose keys are in the order of ours", limit: 1.25),
      ], runs: setting.runs)
  }

  static let links = Section(name: "links") { setting in
    try TaggedPhotos(links: setting.rows).compare(
      setting, ours: .photosByMoclone,
      with: [Rival(work: .photosBySQL, title: "set SQL by hand", limit: 1.25)], runs: setting.runs)
  }

  static let chain = Section(name: "chain") { setting in
    let oneWay = try FolderTree(count: setting.rows / 10, fanOut: 1).compare(
      setting, ours: .foldersByMoclone,
      with: [
        Rival(work: .foldersByQuery, title: "a recursive query by hand", limit: 1.25),
        Rival(work: .foldersByLoop, title: "the same loop by hand", limit: 1.25),
      ], runs: setting.runs)
    let twoWays = try CellGrid(chainOf: setting.rows / 10).compare(
      setting, ours: .cellsByMoclone,
      with: [Rival(work: .cellsByLoop, title: "the same loop by hand", limit: 1.25)], runs: setting.runs)
    return oneWay + twoWays
  }
}
