// What the catalogs tell about a column of UUIDs.

#include <bit>

#include "uuidx/planner/column_facts.h"
#include "uuidx/planner/time_functions.h"

extern "C" {
#include "access/genam.h"
#include "access/nbtree.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"
}

namespace uuidx::pg {

namespace {

// --- What CHECK constraints exclude ---

struct Substitution {
    AttrNumber column;
    int version;
};

Node* null_of(Node* node) {
    return reinterpret_cast<Node*>(
        makeNullConst(exprType(node), exprTypmod(node), exprCollation(node)));
}

/// Whether a strict operator or function has a NULL among its arguments.
bool is_null_by_strictness(Node* node) {
    List* arguments = NIL;
    if (IsA(node, OpExpr) && op_strict(reinterpret_cast<OpExpr*>(node)->opno))
        arguments = reinterpret_cast<OpExpr*>(node)->args;
    else if (IsA(node, FuncExpr) && func_strict(reinterpret_cast<FuncExpr*>(node)->funcid))
        arguments = reinterpret_cast<FuncExpr*>(node)->args;
    ListCell* cell;
    foreach (cell, arguments) {
        const auto* const argument = static_cast<Const*>(lfirst(cell));
        if (IsA(argument, Const) && argument->constisnull)
            return true;
    }
    return false;
}

/// A copy of an expression, as it is for a UUID of a version: that version is in place of calls
/// that return the column's, and NULL in place of what is NULL then.
Node* with_version(Node* node, void* context) {
    if (node == nullptr)
        return nullptr;
    const auto& [column, version] = *static_cast<Substitution*>(context);
    if (version == null_uuid && is_column(node, column))
        return null_of(node);
    Node* const uuid = argument_of_version(node);
    if (uuid != nullptr && is_column(uuid, column))
        return reinterpret_cast<Node*>(makeConst(INT2OID, -1, InvalidOid, sizeof(int16),
                                                 Int16GetDatum(version), version >= no_version,
                                                 true));
    const auto time = time_call(node);
    if (time && is_column(time->uuid, column) && (time->versions & set_of(version)) == 0)
        return null_of(node);
    const auto test = version_test(node);
    if (test && is_column(test->uuid, column))
        return makeBoolConst((test->versions & set_of(version)) != 0, version == null_uuid);
    const auto period = version == null_uuid ? std::nullopt : period_test(node);
    if (period && is_column(period->uuid, column) && (period->versions & set_of(version)) == 0)
        return makeBoolConst(false, false);
    const auto* const null_test = reinterpret_cast<NullTest*>(node);
    if (IsA(node, NullTest) && is_column(reinterpret_cast<Node*>(null_test->arg), column))
        return makeBoolConst((null_test->nulltesttype == IS_NULL) == (version == null_uuid), false);
    Node* const copy = mutate_expression(node, with_version, context);
    return is_null_by_strictness(copy) ? null_of(copy) : copy;
}

/// Folding runs functions in the session that reads a condition: a constraint's owner must not
/// choose them, and they must not raise errors. Those of the catalog that are leakproof raise none.
bool is_unsafe_to_fold(Oid function, void*) {
    return function >= FirstNormalObjectId || !get_func_leakproof(function);
}

bool has_function_unsafe_to_fold(Node* node, void*) {
    if (node == nullptr)
        return false;
    // check_functions_in_node() does not see what GREATEST and LEAST call, nor the CHECK
    // constraints of a domain, which PostgreSQL folds as soon as it asks whether there are any.
    const bool is_of_version = argument_of_version(node) != nullptr || version_test(node);
    return IsA(node, MinMaxExpr) || IsA(node, CoerceToDomain) ||
           (!is_of_version && check_functions_in_node(node, is_unsafe_to_fold, nullptr)) ||
           walk_expression(node, has_function_unsafe_to_fold, nullptr);
}

/// The value of a condition for a version; null if the version alone does not decide it.
const Const* value_for(Node* condition, AttrNumber column, int version) {
    Substitution substitution{column, version};
    Node* const substituted = with_version(condition, &substitution);
    if (has_function_unsafe_to_fold(substituted, nullptr))
        return nullptr;
    Node* const folded = eval_const_expressions(nullptr, substituted);
    return IsA(folded, Const) ? reinterpret_cast<Const*>(folded) : nullptr;
}

/// Whether a constraint is false for a version. NULL does not violate a constraint.
bool excludes(Node* constraint, AttrNumber column, int version) {
    const Const* const value = value_for(constraint, column, version);
    return value != nullptr && !value->constisnull && !DatumGetBool(value->constvalue);
}

void read_checks(Relation table, AttrNumber column, ColumnFacts& facts) {
    const TupleConstr* const constraints = RelationGetDescr(table)->constr;
    for (int i = 0; constraints != nullptr && i < constraints->num_check; ++i) {
        const ConstrCheck& check = constraints->check[i];
        if (!holds(check))
            continue;
        facts.has_time_expression |=
            has_time_call(static_cast<Node*>(stringToNode(check.ccbin)), column);
        const Versions excluded = versions_excluded_by(check, column);
        facts.versions &= ~excluded;
        if (!check.ccnoinherit)
            facts.versions_inherited &= ~excluded;
    }
}

// --- Indexes and the partition key ---

void read_order(Oid comparison, ColumnFacts& facts) {
    const bool is_of_time = is_implemented_by(comparison, "uuidx_time_cmp");
    (is_of_time ? facts.in_time_order : facts.in_other_order) = true;
}

bool has_time_call(List* expressions, AttrNumber column) {
    return pg::has_time_call(reinterpret_cast<Node*>(expressions), column);
}

void read_index(Relation index, AttrNumber column, ColumnFacts& facts) {
    facts.has_time_expression |= has_time_call(RelationGetIndexExpressions(index), column) ||
                                 has_time_call(RelationGetIndexPredicate(index), column);
    for (int16 i = 0; i < index->rd_index->indnkeyatts && index->rd_index->indisvalid; ++i) {
        if (index->rd_index->indkey.values[i] != column)
            continue;
        if (index->rd_rel->relam == BTREE_AM_OID)
            read_order(index_getprocid(index, static_cast<AttrNumber>(i + 1), BTORDER_PROC), facts);
        // BRIN serves comparisons, too.
        else if (get_op_opfamily_strategy(uuid_lt, index->rd_opfamily[i]) != 0)
            facts.in_other_order = true;
    }
}

void read_indexes(Relation table, AttrNumber column, ColumnFacts& facts) {
    ListCell* cell;
    foreach (cell, RelationGetIndexList(table)) {
        Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        read_index(index, column, facts);
        index_close(index, AccessShareLock);
    }
}

void read_partition_key(Relation table, AttrNumber column, ColumnFacts& facts) {
    const PartitionKey key = RelationGetPartitionKey(table);
    facts.has_time_expression |= has_time_call(key->partexprs, column);
    for (int i = 0; i < key->partnatts; ++i)
        if (key->partattrs[i] == column)
            read_order(key->partsupfunc[i].fn_oid, facts);
}

ColumnFacts read_facts(Oid oid, AttrNumber column) {
    ColumnFacts facts{all_versions, all_versions, false, false, false, false};
    const Relation table = table_open(oid, NoLock);
    facts.is_not_null = is_not_null(RelationGetDescr(table), column);
    read_checks(table, column, facts);
    read_indexes(table, column, facts);
    if (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
        read_partition_key(table, column, facts);
    table_close(table, NoLock);
    return facts;
}

// --- The facts that the session remembers ---

struct Key {
    Oid table;
    int column;
};

struct Entry {
    Key key;
    ColumnFacts facts;
};

HTAB* remembered = nullptr;

/// Counts the changes, to tell whether one happened while facts were read.
std::uint64_t changes = 0;

/// Forgets the facts about a table; about all tables, if it is InvalidOid.
void forget(Datum, Oid table) {
    ++changes;
    if (remembered == nullptr)
        return;
    HASH_SEQ_STATUS scan;
    hash_seq_init(&scan, remembered);
    while (const auto* const entry = static_cast<Entry*>(hash_seq_search(&scan)))
        if (!OidIsValid(table) || entry->key.table == table)
            hash_search(remembered, &entry->key, HASH_REMOVE, nullptr);
}

void create_memory() {
    HASHCTL control{};
    control.keysize = sizeof(Key);
    control.entrysize = sizeof(Entry);
    control.hcxt = TopMemoryContext;
    remembered =
        hash_create("uuidx column facts", 32, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

}  // namespace

ColumnFacts facts_of(Oid table, AttrNumber column) {
    const Key key{table, column};
    if (remembered == nullptr)
        create_memory();
    if (const auto* const entry =
            static_cast<Entry*>(hash_search(remembered, &key, HASH_FIND, nullptr)))
        return entry->facts;
    const auto changes_before = changes;
    const ColumnFacts facts = read_facts(table, column);
    if (changes == changes_before)
        static_cast<Entry*>(hash_search(remembered, &key, HASH_ENTER, nullptr))->facts = facts;
    return facts;
}

Versions versions_left_by(Node* condition, AttrNumber column, Versions versions) {
    // That no version is left would say no more than that no row is.
    if (std::has_single_bit(versions))
        return versions;
    Versions left = versions;
    for (int version = 0; version <= null_uuid; ++version) {
        if ((versions & set_of(version)) == 0)
            continue;
        const Const* const value = value_for(condition, column, version);
        if (value != nullptr && (value->constisnull || !DatumGetBool(value->constvalue)))
            left &= ~set_of(version);
    }
    return left;
}

Versions versions_excluded_by(Node* condition, AttrNumber column) {
    Versions excluded = 0;
    ListCell* cell;
    foreach (cell, make_ands_implicit(reinterpret_cast<Expr*>(condition)))
        for (int version = 0; version <= no_version; ++version)
            if (excludes(static_cast<Node*>(lfirst(cell)), column, version))
                excluded |= set_of(version);
    return excluded;
}

Versions versions_excluded_by(const ConstrCheck& check, AttrNumber column) {
    return versions_excluded_by(static_cast<Node*>(stringToNode(check.ccbin)), column);
}

void watch_tables() {
    CacheRegisterRelcacheCallback(forget, Datum{0});
}

}  // namespace uuidx::pg
