/// Why libpq cannot be loaded; NULL where it can be, and where it is linked.
const char *moclone_libpq_failure(void);
