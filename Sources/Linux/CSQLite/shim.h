#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

/* Swift calls no function with variable arguments. */
static inline void csqlite_keep_log(sqlite3 *database, int is_kept) {
  if (database) sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_kept, (int *)0);
}

#endif
