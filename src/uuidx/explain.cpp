// Says what the planner knows of the creation times in a table, and which indexes it can use.

#include "uuidx/order/settings.h"

#include "uuidx/planner/column_facts.h"
#include "uuidx/preload.h"

extern "C" {
#include "access/nbtree.h"
#include "access/relation.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class_d.h"
#include "catalog/pg_index.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_type_d.h"
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// A list with commas between its items; NULL as long as it is empty.
class Items {
  public:
    Items() { initStringInfo(&text_); }

    void add(const char* item) { appendStringInfo(&text_, "%s%s", is_empty() ? "" : ", ", item); }

    bool is_empty() const { return text_.len == 0; }
    const char* text() const { return text_.data; }
    std::optional<std::string_view> or_null() const {
        return is_empty() ? std::nullopt : std::optional<std::string_view>{text_.data};
    }

  private:
    StringInfoData text_;
};

/// What is known of one column.
struct Explanation {
    Versions versions = all_versions;
    /// Whether the planner leaves conditions as they are, for what has the time itself in it.
    bool has_time_expression = false;
    Items proven_by;
    /// Constraints that would prove something if they were validated.
    Items not_valid;
    /// Indexes that serve conditions on the time, those that serve sorts by it, and those that
    /// serve a period of a key that is joined to the column; the partition key may do that, too.
    Items conditions;
    Items sorts;
    Items joins;
    /// Indexes that serve these in queries that compare the columns before it with constants.
    Items behind_others;
    /// Whether the column is of a materialized view, which has no constraints.
    bool is_of_matview = false;
    /// Whether the column is of a foreign key.
    bool is_reference = false;
    /// Whether a virtual column has its time: PostgreSQL's own function does not load the library.
    bool has_virtual_time = false;
};

// --- Expressions, as they stand in the catalogs ---
//
// Not facts_of(), nor what the relation cache has of indexes and partition keys: PostgreSQL
// evaluates constant calls in these, and so would run functions of a table's owner with the rights
// of whoever asks about the table. What is lost is what only the result shows: a time behind a
// function in SQL that is inlined or a cast that changes nothing, and a predicate that is always
// true.

/// The expression, or list of expressions, in a row of a catalog; null if there is none.
Node* expression_in(SysCacheIdentifier cache, HeapTuple row, AttrNumber number) {
    bool null;
    const Datum tree = SysCacheGetAttr(cache, row, number, &null);
    return null ? nullptr : static_cast<Node*>(stringToNode(TextDatumGetCString(tree)));
}

Node* expressions_of(Relation index) {
    return expression_in(INDEXRELID, index->rd_indextuple, Anum_pg_index_indexprs);
}

Node* predicate_of(Relation index) {
    return expression_in(INDEXRELID, index->rd_indextuple, Anum_pg_index_indpred);
}

// --- What they say of a column ---

void read_constraints(Relation table, AttrNumber column, Explanation& explanation) {
    const TupleConstr* const constraints = RelationGetDescr(table)->constr;
    for (int i = 0; constraints != nullptr && i < constraints->num_check; ++i) {
        const ConstrCheck& check = constraints->check[i];
        const Versions excluded = versions_excluded_by(check, column);
        if (excluded != 0 && holds(check))
            explanation.proven_by.add(quote_identifier(check.ccname));
        if (excluded != 0 && can_be_validated(check))
            explanation.not_valid.add(quote_identifier(check.ccname));
        if (!holds(check))
            continue;
        explanation.versions &= ~excluded;
        explanation.has_time_expression |=
            has_time_call(static_cast<Node*>(stringToNode(check.ccbin)), column);
    }
}

bool is_time_of(Node* expression, AttrNumber column) {
    const auto time = time_call(expression);
    return time && is_column(time->uuid, column);
}

/// Whether an index has all rows but those with NULL, which neither a condition nor a join looks
/// for.
bool has_all_but_null(Node* predicate, AttrNumber column) {
    if (predicate == nullptr)
        return true;
    const auto* const test = reinterpret_cast<NullTest*>(predicate);
    return IsA(test, NullTest) && test->nulltesttype == IS_NOT_NULL &&
           is_column(reinterpret_cast<Node*>(test->arg), column);
}

/// Whether the UUIDs of the versions that have a time are in its order.
bool is_ordered(Versions versions) {
    const Versions timed = versions & versions_with_time;
    return timed == set_of(6) || timed == set_of(7);
}

/// Whether an index such as BRIN, any key of which can be asked alone, serves conditions.
bool serves_alone(Relation index, AttrNumber column, const Explanation& explanation) {
    const List* const expressions = reinterpret_cast<List*>(expressions_of(index));
    const ListCell* expression = list_head(expressions);
    for (int i = 0; i < index->rd_index->indnkeyatts; ++i) {
        const AttrNumber key = index->rd_index->indkey.values[i];
        const Oid family = index->rd_opfamily[i];
        if (key == column && get_op_opfamily_strategy(uuid_lt, family) != 0 &&
            is_ordered(explanation.versions) && !explanation.has_time_expression)
            return true;
        if (key != 0)
            continue;
        if (is_time_of(static_cast<Node*>(lfirst(expression)), column) &&
            get_op_opfamily_strategy(timestamptz_lt, family) != 0)
            return true;
        expression = lnext(expressions, expression);
    }
    return false;
}

/// Adds an index to the lists of those that serve every query.
void read_index(Relation index, AttrNumber column, Explanation& explanation) {
    Node* const predicate = predicate_of(index);
    if (!index->rd_index->indisvalid || !has_all_but_null(predicate, column))
        return;
    const char* const name = quote_identifier(RelationGetRelationName(index));
    if (index->rd_rel->relam != BTREE_AM_OID) {
        if (serves_alone(index, column, explanation))
            explanation.conditions.add(name);
        return;
    }
    const AttrNumber* const keys = index->rd_index->indkey.values;
    const AttrNumber* const end = keys + index->rd_index->indnkeyatts;
    const bool is_first = keys[0] == column;
    if (is_first)
        explanation.joins.add(name);
    else if (predicate == nullptr && std::find(keys, end, column) != end)
        explanation.behind_others.add(name);
    bool serves_conditions = is_first && !explanation.has_time_expression;
    bool serves_sorts = is_first;
    if (keys[0] == 0) {
        auto* const key =
            static_cast<Node*>(linitial(reinterpret_cast<List*>(expressions_of(index))));
        serves_conditions = serves_sorts = is_time_of(key, column);
    } else if (!is_implemented_by(index_getprocid(index, 1, BTORDER_PROC), "uuidx_time_cmp")) {
        serves_conditions &= is_ordered(explanation.versions);
        serves_sorts &=
            is_ordered(explanation.versions) && (explanation.versions & ~versions_with_time) == 0;
    }
    if (serves_conditions)
        explanation.conditions.add(name);
    if (serves_sorts && predicate == nullptr)
        explanation.sorts.add(name);
}

void read_indexes(Relation table, AttrNumber column, Explanation& explanation) {
    List* indexes = NIL;
    ListCell* cell;
    foreach (cell, RelationGetIndexList(table)) {
        const Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        indexes = lappend(indexes, index);
        explanation.has_time_expression |= has_time_call(expressions_of(index), column) ||
                                           has_time_call(predicate_of(index), column);
    }
    foreach (cell, indexes) {
        auto* const index = static_cast<Relation>(lfirst(cell));
        read_index(index, column, explanation);
        index_close(index, AccessShareLock);
    }
}

bool is_reference(Relation table, AttrNumber column) {
    ListCell* cell;
    foreach (cell, RelationGetFKeyList(table)) {
        const auto& key = *static_cast<ForeignKeyCacheInfo*>(lfirst(cell));
        if (std::find(key.conkey, key.conkey + key.nkeys, column) != key.conkey + key.nkeys)
            return true;
    }
    return false;
}

bool has_virtual_time(TupleDesc columns, AttrNumber column) {
    const TupleConstr* const constraints = columns->constr;
    for (int i = 0; constraints != nullptr && i < constraints->num_defval; ++i) {
        const AttrDefault& value = constraints->defval[i];
        if (TupleDescAttr(columns, value.adnum - 1)->attgenerated == 'v' &&
            has_time_call(static_cast<Node*>(stringToNode(value.adbin)), column))
            return true;
    }
    return false;
}

/// Returns whether the column decides on partitions.
bool read_partition_key(Relation table, AttrNumber column, Explanation& explanation) {
    const HeapTuple row = SearchSysCache1(PARTRELID, ObjectIdGetDatum(RelationGetRelid(table)));
    if (!HeapTupleIsValid(row))
        return false;
    const auto& key = *reinterpret_cast<Form_pg_partitioned_table>(GETSTRUCT(row));
    const bool decides =
        key.partstrat != PARTITION_STRATEGY_HASH && key.partattrs.values[0] == column;
    explanation.has_time_expression |=
        has_time_call(expression_in(PARTRELID, row, Anum_pg_partitioned_table_partexprs), column);
    ReleaseSysCache(row);
    return decides;
}

Explanation explain(Relation table, AttrNumber column) {
    Explanation explanation;
    read_constraints(table, column, explanation);
    const bool decides_on_partitions = read_partition_key(table, column, explanation);
    read_indexes(table, column, explanation);
    if (decides_on_partitions)
        explanation.joins.add("partition key");
    explanation.is_of_matview = table->rd_rel->relkind == RELKIND_MATVIEW;
    explanation.is_reference = is_reference(table, column);
    explanation.has_virtual_time = has_virtual_time(RelationGetDescr(table), column);
    return explanation;
}

/// The versions that are possible; "any" if nothing is proven.
std::string_view text_of(Versions versions) {
    if (versions == all_versions)
        return "any";
    Items items;
    for (int version = 0; version < no_version; ++version)
        if ((versions & set_of(version)) != 0)
            items.add(psprintf("%d", version));
    if ((versions & set_of(no_version)) != 0)
        items.add("other variants");
    return items.text();
}

/// What an index on the column would serve: not what one on it behind other columns does.
std::string_view index_for(const char* purpose, const Explanation& explanation,
                           const char* column) {
    const Items& behind_others = explanation.behind_others;
    return behind_others.is_empty()
               ? psprintf("For %s, create an index on (%s).", purpose, column)
               : psprintf(
                     "For %s in queries that do not compare the columns before %s in %s with "
                     "constants, create an index on (%s).",
                     purpose, column, behind_others.text(), column);
}

/// What would let an index serve more; nullopt if indexes serve all.
std::optional<std::string_view> hint(const Explanation& explanation, const char* column) {
    if (!time_planning)
        return "Set uuidx.time_planning to on.";
    const char* const preload = explanation.has_virtual_time ? preload_statement() : nullptr;
    if (preload != nullptr)
        return psprintf(
            "For conditions on the virtual column in sessions that have not called a "
            "function of uuidx, run %s as a superuser, and connect again.",
            preload);
    if (explanation.is_reference && explanation.joins.is_empty())
        return index_for("joins by period", explanation, column);
    const bool serve_conditions = !explanation.conditions.is_empty();
    if ((serve_conditions && !explanation.sorts.is_empty()) || explanation.is_reference)
        return std::nullopt;
    if (explanation.has_time_expression && !serve_conditions)
        return psprintf(
            "A constraint, index or partition key has uuid_time(%s) in it: create an index on "
            "(uuid_time(%s)).",
            column, column);
    if (!explanation.not_valid.is_empty())
        return psprintf("Validate the constraint %s.", explanation.not_valid.text());
    const Versions versions = explanation.versions;
    if (versions == all_versions && !explanation.is_of_matview)
        return psprintf(
            "If all UUIDs have version 7, add CHECK (uuid_is_v7(%s)); if not, create "
            "an index on (%s uuid_time_ops).",
            column, column);
    const Versions timed = versions & versions_with_time;
    if (!is_ordered(versions))
        return psprintf("Create an index on (%s uuid_time_ops).", column);
    if (!serve_conditions)
        return index_for("conditions", explanation, column);
    if (versions == timed)
        return index_for("sorts", explanation, column);
    if (versions == (timed | set_of(no_version)))
        return psprintf("For sorts, add CHECK (uuid_is_v%d(%s)).", timed == set_of(6) ? 6 : 7,
                        column);
    return psprintf("For sorts, create an index on (%s uuid_time_ops).", column);
}

/// The first column of uuids after `column`; 0 if there is none.
AttrNumber next_uuid_column(TupleDesc columns, AttrNumber column) {
    while (++column <= columns->natts) {
        const Form_pg_attribute attribute = TupleDescAttr(columns, column - 1);
        if (!attribute->attisdropped && getBaseType(attribute->atttypid) == UUIDOID)
            return column;
    }
    return 0;
}

}  // namespace

/// uuid_explain(relation regclass, out ...) returns setof record: for each column of type uuid, the
/// versions that its UUIDs may have, the CHECK constraints that say so, the indexes that serve
/// conditions on the creation time, those that serve sorts by it, those that serve a period of a
/// key that is joined to the column, and what is missing. 42809 if the relation is not
/// a table or materialized view, 42P01 if there is none.
UUIDX_FUNCTION(uuidx_explain) {
    if (SRF_IS_FIRSTCALL()) {
        FuncCallContext* const call = SRF_FIRSTCALL_INIT();
        call->user_fctx = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(AttrNumber));
    }
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    const Relation table = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
    if (table == nullptr)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("relation with OID %u does not exist", PG_GETARG_OID(0))));
    const char kind = table->rd_rel->relkind;
    if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE && kind != RELKIND_MATVIEW)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"%s\" is not a table or materialized view",
                               RelationGetRelationName(table))));
    auto& column = *static_cast<AttrNumber*>(call->user_fctx);
    column = next_uuid_column(RelationGetDescr(table), column);
    if (column == 0) {
        relation_close(table, AccessShareLock);
        SRF_RETURN_DONE(call);
    }
    const char* const name = NameStr(TupleDescAttr(RelationGetDescr(table), column - 1)->attname);
    const Explanation explanation = explain(table, column);
    using Text = std::optional<std::string_view>;
    const Datum result = row(fcinfo, Text{name}, Text{text_of(explanation.versions)},
                             explanation.proven_by.or_null(), explanation.conditions.or_null(),
                             explanation.sorts.or_null(), explanation.joins.or_null(),
                             hint(explanation, quote_identifier(name)));
    relation_close(table, AccessShareLock);
    SRF_RETURN_NEXT(call, result);
}

}  // namespace uuidx::pg
