// A column whose values the current user may read, in a table and its partitions.

#pragma once

#include "server/trigger.h"

extern "C" {
#include "access/table.h"
#include "storage/lmgr.h"
}

namespace uuidx::pg {

/// A column of a table and its partitions, but not of tables that inherit from it. They are read
/// row by row, as no query that is planned: PostgreSQL runs functions in their indexes for one,
/// which are their owner's code.
class ReadableColumn {
  public:
    /// Locks the tables. 42501 unless the current user may read all values of the column, 42703 if
    /// there is none, 42P01 if a table is gone, 55P03 if another session has locked it.
    ReadableColumn(Oid relation, const char* name);

    Oid type() const { return type_; }  ///< not a domain

    /// Calls `visit` for each table that has rows, with the number of the column in it. 42809 if
    /// one is a foreign table.
    template <class Visit>
    void for_each_table(Visit visit) const {
        ListCell* cell;
        foreach (cell, tables_) {
            CHECK_FOR_INTERRUPTS();
            const Relation table = open(lfirst_oid(cell));
            if (RelationGetForm(table)->relkind == RELKIND_RELATION)
                visit(table, column_number(RelationGetDescr(table), name_, type_));
            table_close(table, NoLock);
        }
    }

    /// Releases the locks: a transaction cannot lock all tables of a large database.
    void unlock() const;

  private:
    static Relation open(Oid table);

    const char* name_;
    Oid type_;
    List* tables_;
};

}  // namespace uuidx::pg
