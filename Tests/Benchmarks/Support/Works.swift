extension Work {
  /// Everything that a child process can be asked for.
  static var all: [Work] {
    [
      .notesByMoclone, .notesBySQL, .notesFloor,
      .foldersByMoclone, .foldersByQuery, .foldersByLoop,
      .cellsByMoclone, .cellsByQuery, .cellsByLoop,
      .photosByMoclone, .photosBySQL,
      .channelsByMoclone, .channelsBySQL, .doublesByMoclone, .doublesBySQL,
      .memoryByMoclone, .memoryVerified, .memoryByClasses, .memoryByDictionaries, .memoryCopy,
      .smallByMoclone, .smallByClasses, .libraryByPlan, .libraryByRequest, .libraryByGRDB,
      .itemsByMoclone, .itemsByInsert, .halfByInsert, .subtree, .cutOut, .copyOfOne,
    ] + readRows
  }
}
