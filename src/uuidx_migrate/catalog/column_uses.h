// What the expressions and queries of an object read: which columns, and how, and what they call.

#pragma once

#include "core/uuid.h"

#include "uuidx_migrate/catalog/column_sources.h"

#include "server/catalog_row.h"
#include "server/shim.h"

namespace uuidx::pg {

enum class Use {
    passed,     ///< returned, grouped or sorted by, or counted
    equal,      ///< compared with other columns by = or <>
    ordered,    ///< compared with other columns by < and the like
    null_test,  ///< asked whether it is null
    value,      ///< anything that may depend on its type
};

/// A use of a column, or of several whose values go together: compared with one another, or merged
/// by COALESCE.
struct ColumnUse {
    Use use;
    List* columns;
};

/// A row of uuidx_migrate_steps.expression_facts.
struct Fact {
    std::string_view fact;
    SourceColumn column = {};
    Oid object = InvalidOid;
    std::optional<Uuid> value = std::nullopt;

    bool operator==(const Fact&) const = default;
};

struct Reading {
    List* facts = NIL;         ///< each Fact once
    List* uses = NIL;          ///< each ColumnUse
    List* results = NIL;       ///< of each column that is returned, the columns whose value it has
    bool needs_types = false;  ///< of all columns: it changes rows, say
};

/// What the expressions and queries in a row of a catalog read. A node that is not known here reads
/// all relations that there are, and by position.
Reading read(const CatalogRow& row);

}  // namespace uuidx::pg
