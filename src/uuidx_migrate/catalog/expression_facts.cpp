// Says what an expression in the catalogs reads.

#include "core/text.h"
#include "core/uuid.h"

#include "server/catalog_row.h"
#include "server/shim.h"
#include "uuidx/planner/column_facts.h"

extern "C" {
#include "catalog/pg_constraint.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

/// A row of the result.
struct Fact {
    std::string_view fact;
    Oid relation = InvalidOid;
    AttrNumber column = InvalidAttrNumber;
    std::string_view transition = {};
    Oid object = InvalidOid;
    std::optional<Uuid> value = std::nullopt;

    bool operator==(const Fact&) const = default;
};

/// What the columns in a query stand for: its relations, and the query around it.
struct Level {
    List* relations;
    const Level* outer;
};

struct Search {
    Oid relation;  ///< whose OLD and NEW may occur
    const Level* level;
    List* seen = NIL;  ///< the OIDs of all relations
    bool has_unknown_node = false;
    List* facts = NIL;
};

void add(Search& search, const Fact& fact) {
    ListCell* cell;
    foreach (cell, search.facts)
        if (*static_cast<Fact*>(lfirst(cell)) == fact)
            return;
    search.facts = lappend(search.facts, new (palloc(sizeof(Fact))) Fact{fact});
}

/// The relation whose row type this is, or a domain over it; InvalidOid for other types.
Oid relation_of(Oid type) {
    return get_typ_typrelid(getBaseType(type));
}

// --- Columns ---

/// "old" or "new" for a column of that row in a trigger, a rule or RETURNING.
std::string_view transition_of(const Search& search, const Var* var, const RangeTblEntry* entry) {
    if (const auto row = returned_row(var); !row.empty())
        return row;
    if (entry->relid == search.relation && !entry->inFromCl && entry->alias != nullptr)
        for (const std::string_view row : {"old", "new"})
            if (entry->alias->aliasname == row)
                return row;
    return {};
}

/// Calls `visit` for the whole row of each relation of a join.
void for_each_joined(const RangeTblEntry* join, auto visit) {
    ListCell* cell;
    foreach (cell, pull_var_clause(reinterpret_cast<Node*>(join->joinaliasvars), 0)) {
        Var row = *lfirst_node(Var, cell);
        row.varattno = InvalidAttrNumber;
        visit(&row);
    }
}

bool find_facts(Node* node, void* search);

/// Adds what a column stands for. What a query in FROM returns has been read in that query.
void read(Search& search, const Var* var, std::string_view fact) {
    const Level* level = search.level;
    for (Index up = var->varlevelsup; up > 0 && level != nullptr; --up)
        level = level->outer;
    const int number = static_cast<int>(var->varno);
    if (level == nullptr || number < 1 || number > list_length(level->relations)) {
        search.has_unknown_node = true;
        return;
    }
    const RangeTblEntry* const entry = rt_fetch(number, level->relations);
    if (entry->rtekind == RTE_RELATION) {
        add(search, {fact, entry->relid, var->varattno, transition_of(search, var, entry)});
    } else if (entry->rtekind == RTE_JOIN) {
        const Level* const inner = search.level;
        search.level = level;
        if (var->varattno == InvalidAttrNumber) {
            for_each_joined(entry, [&](const Var* row) { read(search, row, fact); });
        } else {
            auto* const alias =
                static_cast<Node*>(list_nth(entry->joinaliasvars, var->varattno - 1));
            if (alias != nullptr && IsA(alias, Var))
                read(search, reinterpret_cast<Var*>(alias), fact);
            else
                find_facts(alias, &search);
        }
        search.level = inner;
    }
}

/// Adds that it is asked whether `argument` is null.
void test_null(Search& search, Node* argument) {
    if (IsA(argument, Var))
        read(search, reinterpret_cast<Var*>(argument), "null test");
    else
        find_facts(argument, &search);
}

/// Adds the row as a whole if the type is a relation's.
void read_row(Search& search, std::string_view fact, Oid type) {
    if (const Oid relation = relation_of(type); OidIsValid(relation))
        add(search, {fact, relation});
}

/// Adds what a relation in FROM or the like reads by the position of columns: the server writes a
/// list of aliases and the columns of a function so. A join that has a name gets such a list as
/// soon as two of its columns have the same name.
void read_relation(Search& search, const RangeTblEntry* entry) {
    ListCell* cell;
    if (entry->rtekind == RTE_RELATION) {
        search.seen = list_append_unique_oid(search.seen, entry->relid);
        if (entry->alias != nullptr && entry->alias->colnames != NIL)
            add(search, {"position", entry->relid});
    } else if (entry->rtekind == RTE_JOIN && entry->alias != nullptr) {
        for_each_joined(entry, [&](const Var* row) { read(search, row, "position"); });
    } else if (entry->rtekind == RTE_FUNCTION) {
        foreach (cell, entry->functions) {
            const Oid type = exprType(lfirst_node(RangeTblFunction, cell)->funcexpr);
            read_row(search, "column", type);
            read_row(search, "position", type);
        }
    }
}

// --- Calls and values ---

bool is_operator_call(const Node* node) {
    return IsA(node, OpExpr) || IsA(node, DistinctExpr) || IsA(node, NullIfExpr);
}

void add_operator(Search& search, Oid oid) {
    if (OidIsValid(oid))
        add(search, {.fact = "operator", .object = oid});
}

/// Adds an operator that the text of an expression does not name: search_path decides which one of
/// its name that is.
void add_unnamed(Search& search, Node* call) {
    if (call != nullptr && is_operator_call(call))
        add(search, {.fact = "unnamed", .object = reinterpret_cast<OpExpr*>(call)->opno});
}

/// Adds the operators behind IS DISTINCT FROM, NULLIF, CASE with an argument, and USING; of a
/// comparison of rows, all but that of the first columns.
void add_unnamed_operators(Search& search, Node* node) {
    ListCell* cell;
    switch (nodeTag(node)) {
        case T_DistinctExpr:
        case T_NullIfExpr:
            add_unnamed(search, node);
            break;
        case T_CaseExpr:
            if (reinterpret_cast<CaseExpr*>(node)->arg != nullptr)
                foreach (cell, reinterpret_cast<CaseExpr*>(node)->args)
                    add_unnamed(search, reinterpret_cast<Node*>(lfirst_node(CaseWhen, cell)->expr));
            break;
        case T_JoinExpr:
            if (reinterpret_cast<JoinExpr*>(node)->usingClause != NIL)
                foreach (cell, make_ands_implicit(reinterpret_cast<Expr*>(
                                   reinterpret_cast<JoinExpr*>(node)->quals)))
                    add_unnamed(search, static_cast<Node*>(lfirst(cell)));
            break;
        case T_RowCompareExpr:
            for_each_from(cell, reinterpret_cast<RowCompareExpr*>(node)->opnos, 1)
                add(search, {.fact = "unnamed", .object = lfirst_oid(cell)});
            break;
        case T_SubLink:
            if (Node* const test = reinterpret_cast<SubLink*>(node)->testexpr;
                test != nullptr && IsA(test, BoolExpr))
                for_each_from(cell, reinterpret_cast<BoolExpr*>(test)->args, 1)
                    add_unnamed(search, static_cast<Node*>(lfirst(cell)));
            break;
        default:
            break;
    }
}

/// Adds what a node calls. False for those that call nothing.
bool add_calls(Search& search, Node* node) {
    const auto add_function = [](Oid oid, void* context) {
        add(*static_cast<Search*>(context), {.fact = "function", .object = oid});
        return false;
    };
    ListCell* cell;
    switch (nodeTag(node)) {
        case T_Aggref:
        case T_CoerceViaIO:
        case T_FuncExpr:
        case T_WindowFunc:
            check_functions_in_node(node, add_function, &search);
            return true;
        case T_CoerceToDomain:
            add(search, {.fact = "domain", .object = exprType(node)});
            return true;
        case T_OpExpr:
        case T_DistinctExpr:
        case T_NullIfExpr:
            add_operator(search, reinterpret_cast<OpExpr*>(node)->opno);
            return true;
        case T_ScalarArrayOpExpr:
            add_operator(search, reinterpret_cast<ScalarArrayOpExpr*>(node)->opno);
            return true;
        case T_RowCompareExpr:
            foreach (cell, reinterpret_cast<RowCompareExpr*>(node)->opnos)
                add_operator(search, lfirst_oid(cell));
            return true;
        case T_SortGroupClause:
            add_operator(search, reinterpret_cast<SortGroupClause*>(node)->eqop);
            add_operator(search, reinterpret_cast<SortGroupClause*>(node)->sortop);
            return true;
        case T_MinMaxExpr:  // GREATEST and LEAST
            add_operator(search, lookup_type_cache(exprType(node), TYPECACHE_LT_OPR)->lt_opr);
            return true;
        default:
            return false;
    }
}

/// Adds the UUIDs in a value, which may be written as texts.
void add_uuids(Search& search, Oid type, Datum value) {
    if (type == UUIDOID) {
        add(search, {.fact = "uuid", .value = to_uuid(value)});
    } else if (type == TEXTOID || type == VARCHAROID || type == BPCHAROID) {
        const varlena* const text = PG_DETOAST_DATUM_PACKED(value);
        if (const auto uuid = from_hex_and_dash({VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text)}))
            add(search, {.fact = "uuid", .value = uuid});
    } else if (const Oid element = get_element_type(type); OidIsValid(element)) {
        ArrayIterator const elements = array_create_iterator(DatumGetArrayTypeP(value), 0, nullptr);
        Datum item;
        for (bool null; array_iterate(elements, &item, &null);)
            if (!null)
                add_uuids(search, element, item);
    }
}

void add_constant(Search& search, const Const* constant) {
    if (constant->constisnull)
        return;
    add_uuids(search, constant->consttype, constant->constvalue);
    read_row(search, "position", constant->consttype);
}

// --- Nodes ---

/// Whether nothing is to be said of a node but what it has in it.
bool is_plain(const Node* node) {
    const auto is_one_of = [&](auto... tags) { return ((nodeTag(node) == tags) || ...); };
    return is_plain_newer_node(node) ||
           is_one_of(T_ArrayCoerceExpr, T_ArrayExpr, T_BoolExpr, T_BooleanTest, T_CTECycleClause,
                     T_CTESearchClause, T_CaseExpr, T_CaseTestExpr, T_CoalesceExpr,
                     T_CoerceToDomainValue, T_CollateExpr, T_CommonTableExpr, T_ConvertRowtypeExpr,
                     T_FieldStore, T_FromExpr, T_GroupingFunc, T_InferenceElem, T_JoinExpr, T_List,
                     T_NamedArgExpr, T_NextValueExpr, T_RangeTblFunction, T_RangeTblRef,
                     T_RelabelType, T_SQLValueFunction, T_SetOperationStmt, T_SetToDefault,
                     T_SubLink, T_SubscriptingRef, T_TableFunc, T_TableSampleClause, T_TargetEntry,
                     T_WindowClause, T_XmlExpr);
}

void find_in_query(Search& search, Query* query) {
    const Level level{query->rtable, search.level};
    search.level = &level;
    // A join lists all columns of its relations, whether they are used or not.
    walk_query(query, find_facts, &search,
               QTW_IGNORE_JOINALIASES | QTW_EXAMINE_RTES_BEFORE | QTW_EXAMINE_SORTGROUP);
    search.level = level.outer;
}

void find_in_conflict(Search& search, const OnConflictExpr* conflict) {
    // exclRelTlist lists all columns, whether they are used or not, and depends on them.
    if (conflict->exclRelTlist != NIL)
        add(search, {"position", rt_fetch(conflict->exclRelIndex, search.level->relations)->relid});
    find_facts(reinterpret_cast<Node*>(conflict->arbiterElems), &search);
    find_facts(conflict->arbiterWhere, &search);
    find_facts(reinterpret_cast<Node*>(conflict->onConflictSet), &search);
    find_facts(conflict->onConflictWhere, &search);
}

/// Adds the null tests of num_nulls() and num_nonnulls(). False for calls of other functions.
bool find_null_tests(Search& search, const FuncExpr* call) {
    if ((call->funcid != F_NUM_NULLS && call->funcid != F_NUM_NONNULLS) || call->funcvariadic)
        return false;
    ListCell* cell;
    foreach (cell, call->args)
        test_null(search, static_cast<Node*>(lfirst(cell)));
    return true;
}

/// Adds a field of a row. True if that is all that is read of the row.
bool add_field(Search& search, const FieldSelect* field) {
    auto* const row = reinterpret_cast<Node*>(field->arg);
    if (const Oid relation = relation_of(exprType(row)); OidIsValid(relation))
        add(search, {"column", relation, field->fieldnum});
    return IsA(row, Param);
}

/// Adds what a node reads. True if what is in it has been searched, too.
bool find_in_node(Search& search, Node* node) {
    const bool is_known = add_calls(search, node) || is_plain(node);
    add_unnamed_operators(search, node);
    switch (nodeTag(node)) {
        case T_Query:
            find_in_query(search, reinterpret_cast<Query*>(node));
            return true;
        case T_RangeTblEntry:
            read_relation(search, reinterpret_cast<RangeTblEntry*>(node));
            return true;
        case T_OnConflictExpr:
            find_in_conflict(search, reinterpret_cast<OnConflictExpr*>(node));
            return true;
        case T_Var:
            read(search, reinterpret_cast<Var*>(node), "column");
            return true;
        case T_NullTest:
            test_null(search, reinterpret_cast<Node*>(reinterpret_cast<NullTest*>(node)->arg));
            return true;
        case T_FuncExpr:
            return find_null_tests(search, reinterpret_cast<FuncExpr*>(node));
        case T_FieldSelect:
            return add_field(search, reinterpret_cast<FieldSelect*>(node));
        case T_Const:
            add_constant(search, reinterpret_cast<Const*>(node));
            return true;
        case T_Param:
            read_row(search, "column", exprType(node));
            return true;
        case T_CoerceViaIO:
        case T_RowExpr:
            read_row(search, "position", exprType(node));
            return false;
        default:
            search.has_unknown_node |= !is_known;
            return false;
    }
}

bool find_facts(Node* node, void* context) {
    auto& search = *static_cast<Search*>(context);
    return node != nullptr && !find_in_node(search, node) &&
           walk_expression(node, find_facts, context);
}

/// Finds the facts of all expressions in a row of a catalog.
void find_in_row(Search& search, const CatalogRow& row) {
    const Level level{row.relations, nullptr};
    search.level = &level;
    search.relation = row.relation;
    if (OidIsValid(row.relation))
        search.seen = list_make1_oid(row.relation);
    find_facts(reinterpret_cast<Node*>(row.trees), &search);
    search.level = nullptr;

    // The node may read anything.
    ListCell* cell;
    if (search.has_unknown_node)
        foreach (cell, search.seen)
            for (const std::string_view fact : {"column", "position"})
                add(search, {fact, lfirst_oid(cell)});
}

void put(Tuplestorestate* rows, TupleDesc columns, const Fact& fact) {
    const bool has_relation = OidIsValid(fact.relation);
    Datum values[] = {datum(fact.fact),
                      ObjectIdGetDatum(fact.relation),
                      Int16GetDatum(fact.column),
                      datum(fact.transition),
                      ObjectIdGetDatum(fact.object),
                      datum(fact.value.value_or(Uuid{}))};
    bool nulls[] = {
        false,      !has_relation, !has_relation, fact.transition.empty(), !OidIsValid(fact.object),
        !fact.value};
    tuplestore_putvalues(rows, columns, values, nulls);
}

}  // namespace

/// uuidx_migrate_steps.expression_facts(classid oid, objid oid, out fact text, out relation
/// regclass, out attnum smallint, out transition text, out object oid, out value uuid) returns
/// setof record: what the expressions and queries read that a row of a catalog has, as the catalog
/// is now. No rows for an object that is gone, and for a catalog that has no expressions. 42501 if
/// the user may not read the catalog. The facts are, each once:
/// - "column": a column of a relation, of its row "old" or "new" in a trigger, a rule or RETURNING.
///   A system column has a negative number, and the row as a whole 0.
/// - "null test": the same for a column of which is asked only whether it is null.
/// - "position": the row as a whole, where its columns have no names but are in the table's order.
/// - "function", "operator", "domain": what is called. The functions behind operators are not.
/// - "unnamed": one of these operators that the text does not name, as IS DISTINCT FROM.
/// - "uuid": a constant, in an array too, or one of a type of texts.
/// A node that is not known here reads, and by position too, all relations that there are.
UUIDX_FUNCTION(uuidx_expression_facts) {
    Tuplestorestate* const rows = begin_rows(fcinfo);
    const auto row = catalog_row(PG_GETARG_OID(0), PG_GETARG_OID(1));
    if (!row)
        PG_RETURN_NULL();
    Search search{};
    find_in_row(search, *row);

    ListCell* cell;
    foreach (cell, search.facts)
        put(rows, reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo)->expectedDesc,
            *static_cast<Fact*>(lfirst(cell)));
    PG_RETURN_NULL();
}

/// uuidx_migrate_steps.excluded_versions("constraint" oid, attnum smallint) returns integer[]: the
/// versions for which a CHECK constraint is false, if a column of its table has such a UUID. 42501
/// if the user may not read the catalog.
UUIDX_FUNCTION(uuidx_excluded_versions) {
    const auto row = catalog_row(ConstraintRelationId, PG_GETARG_OID(0));
    Datum versions[no_version];
    int count = 0;
    if (row && row->trees != NIL) {
        const Versions excluded =
            versions_excluded_by(static_cast<Node*>(linitial(row->trees)), PG_GETARG_INT16(1));
        for (int version = 0; version < no_version; ++version)
            if ((excluded & set_of(version)) != 0)
                versions[count++] = Int32GetDatum(version);
    }
    return PointerGetDatum(
        construct_array(versions, count, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

}  // namespace uuidx::pg
