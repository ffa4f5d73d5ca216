#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "libpq-fe.h was not found; install libpq's headers (Debian's package is libpq-dev), or build without the trait PostgreSQL"
#endif
