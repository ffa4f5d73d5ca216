// libpq brings some twenty libraries along, which take 4 ms at the start of every process, also of those that never speak
// to a server. On Linux it is loaded when the first of its functions is called.
//
// The functions below have the names and, which the compiler checks, the types of libpq's own, and are linked instead.
#include "CPostgreSQLLoader.h"

#ifndef __linux__
const char *moclone_libpq_failure(void) { return 0; }
#else

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// Other libraries of the process find libpq's functions, not these.
#pragma GCC visibility push(hidden)
#include "../CPostgreSQL/shim.h"
#pragma GCC visibility pop

static void *library(void) { return dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL); }

const char *moclone_libpq_failure(void) { return library() ? NULL : dlerror(); }

static void *function(const char *name) {
  void *libpq = library();
  void *found = libpq ? dlsym(libpq, name) : NULL;
  if (!found) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
  return found;
}

// Each function looks its counterpart up once; two threads find the same.
#define FORWARD(result, name, parameters, ...)                       \
  result name parameters {                                           \
    static result(*_Atomic forward) parameters;                      \
    if (!forward) forward = (result(*) parameters)function(#name);   \
    return forward(__VA_ARGS__);                                     \
  }

typedef const PGconn *Connection;
typedef const PGresult *Result;

// Connections
FORWARD(PGconn *, PQconnectdb, (const char *info), info)
FORWARD(PGconn *, PQconnectdbParams, (const char *const *keys, const char *const *values, int expands), keys, values, expands)
FORWARD(PQconninfoOption *, PQconndefaults, (void))
FORWARD(PQconninfoOption *, PQconninfo, (PGconn *connection), connection)
FORWARD(PQconninfoOption *, PQconninfoParse, (const char *info, char **error), info, error)
FORWARD(void, PQconninfoFree, (PQconninfoOption *options), options)
FORWARD(void, PQfinish, (PGconn *connection), connection)
FORWARD(void, PQreset, (PGconn *connection), connection)
FORWARD(PGVerbosity, PQsetErrorVerbosity, (PGconn *connection, PGVerbosity verbosity), connection, verbosity)
FORWARD(ConnStatusType, PQstatus, (Connection connection), connection)
FORWARD(PGTransactionStatusType, PQtransactionStatus, (Connection connection), connection)
FORWARD(int, PQserverVersion, (Connection connection), connection)
FORWARD(int, PQbackendPID, (Connection connection), connection)
FORWARD(int, PQsocket, (Connection connection), connection)
FORWARD(int, PQconnectionNeedsPassword, (Connection connection), connection)
FORWARD(int, PQconnectionUsedPassword, (Connection connection), connection)
FORWARD(char *, PQerrorMessage, (Connection connection), connection)
FORWARD(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor body, void *argument), connection, body, argument)

// Statements
FORWARD(PGresult *, PQexec, (PGconn *connection, const char *sql), connection, sql)
FORWARD(int, PQsendQuery, (PGconn *connection, const char *sql), connection, sql)
FORWARD(int, PQsendQueryParams, (PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths, const int *formats, int format), connection, sql, count, types, values, lengths, formats, format)
FORWARD(int, PQsendPrepare, (PGconn *connection, const char *name, const char *sql, int count, const Oid *types), connection, name, sql, count, types)
FORWARD(int, PQsendQueryPrepared, (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats, int format), connection, name, count, values, lengths, formats, format)
FORWARD(PGresult *, PQgetResult, (PGconn *connection), connection)
FORWARD(int, PQconsumeInput, (PGconn *connection), connection)
FORWARD(int, PQisBusy, (PGconn *connection), connection)
FORWARD(int, PQflush, (PGconn *connection), connection)
FORWARD(int, PQsetnonblocking, (PGconn *connection, int mode), connection, mode)
FORWARD(int, PQisnonblocking, (Connection connection), connection)
FORWARD(int, PQenterPipelineMode, (PGconn *connection), connection)
FORWARD(int, PQexitPipelineMode, (PGconn *connection), connection)
FORWARD(int, PQpipelineSync, (PGconn *connection), connection)
FORWARD(int, PQsendFlushRequest, (PGconn *connection), connection)
FORWARD(PGpipelineStatus, PQpipelineStatus, (Connection connection), connection)

// Results
FORWARD(ExecStatusType, PQresultStatus, (Result result), result)
FORWARD(char *, PQresultErrorField, (Result result, int field), result, field)
FORWARD(char *, PQresultErrorMessage, (Result result), result)
FORWARD(int, PQntuples, (Result result), result)
FORWARD(int, PQnfields, (Result result), result)
FORWARD(Oid, PQftype, (Result result, int column), result, column)
FORWARD(char *, PQgetvalue, (Result result, int row, int column), result, row, column)
FORWARD(int, PQgetlength, (Result result, int row, int column), result, row, column)
FORWARD(int, PQgetisnull, (Result result, int row, int column), result, row, column)
FORWARD(char *, PQcmdStatus, (PGresult *result), result)
FORWARD(char *, PQcmdTuples, (PGresult *result), result)
FORWARD(void, PQclear, (PGresult *result), result)
FORWARD(void, PQfreemem, (void *memory), memory)

// COPY and cancellation
FORWARD(int, PQputCopyData, (PGconn *connection, const char *bytes, int count), connection, bytes, count)
FORWARD(int, PQputCopyEnd, (PGconn *connection, const char *error), connection, error)
FORWARD(int, PQgetCopyData, (PGconn *connection, char **buffer, int asynchronous), connection, buffer, asynchronous)
FORWARD(PGcancel *, PQgetCancel, (PGconn *connection), connection)
FORWARD(int, PQcancel, (PGcancel *cancel, char *error, int size), cancel, error, size)
FORWARD(void, PQfreeCancel, (PGcancel *cancel), cancel)

#endif
