// The expressions and queries that a row of a catalog has.

#pragma once

#include <optional>

#include "server/shim.h"

namespace uuidx::pg {

struct CatalogRow {
    Oid relation;     ///< whose columns the expressions read; InvalidOid for functions
    List* relations;  ///< what their columns stand for, as in FROM: the relation, or its rows OLD
                      ///< and NEW
    List* trees;      ///< the expressions, and queries or lists of queries
};

/// The row of an object, as the catalog is now; an index may be named as a relation. None for an
/// object that is gone, and for a catalog that has no expressions. 42501 if the user may not read
/// the catalog.
std::optional<CatalogRow> catalog_row(Oid classid, Oid objid);

}  // namespace uuidx::pg
