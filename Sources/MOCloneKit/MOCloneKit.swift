@_exported import MOCloneImport
@_exported import MOCloneSQLite

#if canImport(MOCloneYAML)
  @_exported import MOCloneYAML
#endif

#if canImport(MOCloneModeling)
  @_exported import MOCloneModeling
#endif
