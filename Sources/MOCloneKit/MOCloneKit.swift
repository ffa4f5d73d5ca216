@_exported import MOCloneImport
@_exported import MOCloneSQLite

#if canImport(MOCloneYAML)
  @_exported import MOCloneYAML
#endif
