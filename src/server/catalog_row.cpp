// Reads the expressions and queries that a row of a catalog has.

#include "server/catalog_row.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_publication_rel.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_statistic_ext.h"
#include "catalog/pg_trigger.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace uuidx::pg {

namespace {

/// A catalog that has expressions.
struct Catalog {
    Oid oid;
    Oid index;            ///< by the catalog's first column, which identifies a row
    AttrNumber relation;  ///< the column that has the table of an expression
};

constexpr Catalog catalogs[] = {
    {AttrDefaultRelationId, AttrDefaultOidIndexId, Anum_pg_attrdef_adrelid},
    {ConstraintRelationId, ConstraintOidIndexId, Anum_pg_constraint_conrelid},
    {IndexRelationId, IndexRelidIndexId, Anum_pg_index_indrelid},
    {PartitionedRelationId, PartitionedRelidIndexId, Anum_pg_partitioned_table_partrelid},
    {PolicyRelationId, PolicyOidIndexId, Anum_pg_policy_polrelid},
    {ProcedureRelationId, ProcedureOidIndexId, InvalidAttrNumber},
    {PublicationRelRelationId, PublicationRelObjectIndexId, Anum_pg_publication_rel_prrelid},
    {RewriteRelationId, RewriteOidIndexId, Anum_pg_rewrite_ev_class},
    {StatisticExtRelationId, StatisticExtOidIndexId, Anum_pg_statistic_ext_stxrelid},
    {TriggerRelationId, TriggerOidIndexId, Anum_pg_trigger_tgrelid},
};

/// OLD or NEW, as in FROM; or the only relation of an expression, without a name.
RangeTblEntry* relation_entry(Oid relation, const char* name) {
    auto* const entry = makeNode(RangeTblEntry);
    entry->rtekind = RTE_RELATION;
    entry->relid = relation;
    if (name != nullptr)
        entry->alias = makeAlias(name, NIL);
    return entry;
}

/// The row's expressions, and what its columns stand for.
CatalogRow read_row(const Catalog& catalog, TupleDesc columns, HeapTuple tuple) {
    CatalogRow row{InvalidOid, NIL, NIL};
    if (catalog.relation != InvalidAttrNumber)
        row.relation = DatumGetObjectId(*value_in(tuple, columns, catalog.relation));
    if (catalog.oid == TriggerRelationId || catalog.oid == RewriteRelationId)
        row.relations =
            list_make2(relation_entry(row.relation, "old"), relation_entry(row.relation, "new"));
    else if (OidIsValid(row.relation))
        row.relations = list_make1(relation_entry(row.relation, nullptr));

    for (int i = 0; i < columns->natts; ++i) {
        if (TupleDescAttr(columns, i)->atttypid != PG_NODE_TREEOID)
            continue;
        if (const auto tree = value_in(tuple, columns, i + 1))
            row.trees = lappend(row.trees, stringToNode(TextDatumGetCString(*tree)));
    }
    return row;
}

}  // namespace

std::optional<CatalogRow> catalog_row(Oid classid, Oid objid) {
    if (classid == RelationRelationId)
        classid = IndexRelationId;
    const auto* const catalog = std::ranges::find(catalogs, classid, &Catalog::oid);
    if (catalog == std::end(catalogs))
        return std::nullopt;
    if (pg_class_aclcheck(classid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(classid));

    std::optional<CatalogRow> row;
    const Relation table = table_open(classid, AccessShareLock);
    ScanKeyData key;
    ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(objid));
    const SysScanDesc scan = systable_beginscan(table, catalog->index, true, nullptr, 1, &key);
    const HeapTuple tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple))
        row = read_row(*catalog, RelationGetDescr(table), tuple);
    systable_endscan(scan);
    table_close(table, AccessShareLock);
    return row;
}

}  // namespace uuidx::pg
