// Says what the expressions and queries of an object read.

#include "core/text.h"

#include "uuidx_migrate/catalog/calls.h"
#include "uuidx_migrate/catalog/column_uses.h"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

struct Search {
    const Level* level;
    List* seen = NIL;  ///< the OIDs of all relations
    bool has_unknown_node = false;
    Reading found = {};
};

void add(Search& search, const Fact& fact) {
    ListCell* cell;
    foreach (cell, search.found.facts)
        if (*static_cast<Fact*>(lfirst(cell)) == fact)
            return;
    search.found.facts = lappend(search.found.facts, new (palloc(sizeof(Fact))) Fact{fact});
}

/// Adds a use of columns whose values go together. A null test of several means something else once
/// only some of them change their type.
void add_use(Search& search, Use use, List* columns) {
    const bool is_null_test = use == Use::null_test && list_length(columns) == 1;
    ListCell* cell;
    search.found.uses =
        lappend(search.found.uses, new (palloc(sizeof(ColumnUse))) ColumnUse{use, columns});
    foreach (cell, columns)
        if (const auto& column = *static_cast<SourceColumn*>(lfirst(cell));
            OidIsValid(column.relation))
            add(search, {is_null_test ? "null test" : "column", column});
}

bool walk(Node* node, void* search);
void read_query(Search& search, Query* query);

/// Adds a use of the columns that an expression passes on, or else what it reads.
void add_passed(Search& search, Node* node, Use use) {
    List* const columns = passed(search.level, node);
    ListCell* cell;
    if (columns == NIL) {
        walk(node, &search);
        return;
    }
    add_use(search, use, columns);
    if (IsA(node, SubLink))
        read_query(search, castNode(Query, castNode(SubLink, node)->subselect));
    else if (IsA(node, CoalesceExpr))
        foreach (cell, castNode(CoalesceExpr, node)->args)
            add_passed(search, static_cast<Node*>(lfirst(cell)), use);
}

/// Adds what a Var stands for. What a query in FROM computes has been read there.
void add_var(Search& search, Var* var) {
    const Level* const level = search.level;
    const RangeTblEntry* const entry = entry_of(var, &search.level);
    List* const columns = passed(level, reinterpret_cast<Node*>(var));
    search.has_unknown_node |= entry == nullptr;
    if (columns != NIL)
        add_use(search, Use::value, columns);
    else if (entry != nullptr && entry->rtekind == RTE_JOIN)
        walk(alias_of(entry, var->varattno), &search);
    search.level = level;
}

/// Adds that columns are compared with one another. False for other calls.
bool add_comparison(Search& search, const OpExpr* call) {
    constexpr std::string_view names[] = {"=", "<>", "<", "<=", ">", ">="};
    const char* const name = call->opno < FirstNormalObjectId ? get_opname(call->opno) : nullptr;
    const auto* const found =
        name == nullptr ? std::end(names) : std::ranges::find(names, std::string_view{name});
    if (found == std::end(names) || list_length(call->args) != 2)
        return false;
    auto* const left = static_cast<Node*>(linitial(call->args));
    auto* const right = static_cast<Node*>(lsecond(call->args));
    List* const columns = passed(search.level, left);
    List* const others = passed(search.level, right);
    if (columns == NIL || others == NIL)
        return false;
    add_passed(search, left, Use::passed);
    add_passed(search, right, Use::passed);
    add_use(search, found - names < 2 ? Use::equal : Use::ordered, list_concat(columns, others));
    return true;
}

/// Adds the row as a whole if the type is that of a relation's rows, or a domain over it.
void read_row(Search& search, std::string_view fact, Oid type) {
    if (const Oid relation = get_typ_typrelid(getBaseType(type)); OidIsValid(relation))
        add(search, {fact, {relation}});
}

/// Adds what a relation in FROM or the like reads by the position of columns: the server writes a
/// list of aliases and the columns of a function so. A join that has a name gets such a list as
/// soon as two of its columns have the same name.
void read_relation(Search& search, const RangeTblEntry* entry) {
    ListCell* cell;
    if (entry->rtekind == RTE_RELATION) {
        search.seen = list_append_unique_oid(search.seen, entry->relid);
        if (entry->alias != nullptr && entry->alias->colnames != NIL)
            add(search, {"position", {entry->relid}});
    } else if (entry->rtekind == RTE_JOIN && entry->alias != nullptr) {
        foreach (cell, rows_of(search.level, entry))
            if (const auto& row = *static_cast<SourceColumn*>(lfirst(cell));
                OidIsValid(row.relation) && row.number == InvalidAttrNumber)
                add(search, {"position", row});
    } else if (entry->rtekind == RTE_FUNCTION) {
        foreach (cell, entry->functions) {
            const Oid type = exprType(lfirst_node(RangeTblFunction, cell)->funcexpr);
            read_row(search, "column", type);
            read_row(search, "position", type);
        }
    }
}

// --- Calls and values ---

void add_calls(Search& search, Node* node) {
    ListCell* cell;
    foreach (cell, functions_of(node))
        add(search, {.fact = "function", .object = lfirst_oid(cell)});
    foreach (cell, operators_of(node))
        add(search, {.fact = "operator", .object = lfirst_oid(cell)});
    foreach (cell, unnamed_operators_of(node))
        add(search, {.fact = "unnamed", .object = lfirst_oid(cell)});
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

/// Whether nothing is to be said of a node but what it calls, and what it has in it.
bool is_known(const Node* node) {
    const auto is_one_of = [&](auto... tags) { return ((nodeTag(node) == tags) || ...); };
    return is_plain_newer_node(node) ||
           is_one_of(T_ArrayCoerceExpr, T_ArrayExpr, T_BoolExpr, T_BooleanTest, T_CTECycleClause,
                     T_CTESearchClause, T_CaseExpr, T_CaseTestExpr, T_CoalesceExpr,
                     T_CoerceToDomain, T_CoerceToDomainValue, T_CollateExpr, T_CommonTableExpr,
                     T_ConvertRowtypeExpr, T_FieldStore, T_FromExpr, T_GroupingFunc,
                     T_InferenceElem, T_JoinExpr, T_List, T_MinMaxExpr, T_NamedArgExpr,
                     T_NextValueExpr, T_NullIfExpr, T_RangeTblFunction, T_RangeTblRef,
                     T_RelabelType, T_RowCompareExpr, T_SQLValueFunction, T_ScalarArrayOpExpr,
                     T_SetOperationStmt, T_SetToDefault, T_SortGroupClause, T_SubLink,
                     T_SubscriptingRef, T_TableFunc, T_TableSampleClause, T_TargetEntry,
                     T_WindowClause, T_WindowFunc, T_XmlExpr);
}

/// Adds what a query returns that is in no other.
void add_results(Search& search, Query* query) {
    for (int column = 1; column <= list_length(query->targetList); ++column)
        search.found.results = lappend(search.found.results, returned(query, search.level, column));
}

void read_query(Search& search, Query* query) {
    const Level level{query, search.level, search.level->relation, search.level->known};
    ListCell* cell;
    ListCell* part;
    search.level = &level;
    search.found.needs_types |= query->commandType != CMD_SELECT;
    foreach (cell, query->windowClause)
        search.found.needs_types |= OidIsValid(lfirst_node(WindowClause, cell)->startInRangeFunc) ||
                                    OidIsValid(lfirst_node(WindowClause, cell)->endInRangeFunc);
    foreach (cell, query->rtable) {
        const auto* const entry = lfirst_node(RangeTblEntry, cell);
        // The parts of a UNION return the same types.
        if (query->setOperations != nullptr && entry->rtekind == RTE_SUBQUERY)
            add_use(search, Use::value, row_of(entry->subquery, &level));
        foreach (part, grouped_expressions(entry))
            add_passed(search, static_cast<Node*>(lfirst(part)), Use::passed);
    }
    // A join lists all columns of its relations, whether they are used or not.
    walk_query(query, walk, &search,
               QTW_IGNORE_JOINALIASES | ignore_grouped_expressions | QTW_EXAMINE_RTES_BEFORE);
    search.level = level.outer;
}

void read_sub_select(Search& search, const SubLink* link) {
    const Level* const level = search.level;
    auto* const query = castNode(Query, link->subselect);
    if (link->subLinkType != EXISTS_SUBLINK && link->subLinkType != ANY_SUBLINK &&
        link->subLinkType != ALL_SUBLINK)
        add_use(search, Use::value, row_of(query, level));
    const Level comparison{level->query, level->outer, level->relation, level->known, query};
    search.level = &comparison;
    walk(link->testexpr, &search);
    search.level = level;
    read_query(search, query);
}

void read_conflict(Search& search, const OnConflictExpr* conflict) {
    // exclRelTlist lists all columns, whether they are used or not, and depends on them.
    if (conflict->exclRelTlist != NIL)
        add(search,
            {"position", {rt_fetch(conflict->exclRelIndex, search.level->query->rtable)->relid}});
    walk(reinterpret_cast<Node*>(conflict->arbiterElems), &search);
    walk(conflict->arbiterWhere, &search);
    walk(reinterpret_cast<Node*>(conflict->onConflictSet), &search);
    walk(conflict->onConflictWhere, &search);
}

/// Adds the null tests of num_nulls() and num_nonnulls(). False for calls of other functions.
bool add_null_tests(Search& search, const FuncExpr* call) {
    if ((call->funcid != F_NUM_NULLS && call->funcid != F_NUM_NONNULLS) || call->funcvariadic)
        return false;
    ListCell* cell;
    foreach (cell, call->args)
        add_passed(search, static_cast<Node*>(lfirst(cell)), Use::null_test);
    return true;
}

/// Adds that an aggregate reads values, which a TargetEntry alone passes on.
void add_arguments(Search& search, const Aggref* aggregate) {
    ListCell* cell;
    foreach (cell, aggregate->args) {
        auto* const argument = reinterpret_cast<Node*>(lfirst_node(TargetEntry, cell)->expr);
        add_use(search, Use::value, passed(search.level, argument));
    }
}

/// Adds a field of a row. True if that is all that is read of the row.
bool add_field(Search& search, const FieldSelect* field) {
    auto* const row = reinterpret_cast<Node*>(field->arg);
    if (const Oid relation = get_typ_typrelid(getBaseType(exprType(row))); OidIsValid(relation))
        add(search, {"column", {relation, field->fieldnum}});
    return IsA(row, Param);
}

/// Adds what a node reads. True if what is in it has been searched, too.
bool read_node(Search& search, Node* node) {
    add_calls(search, node);
    switch (nodeTag(node)) {
        case T_Query:
            if (search.level->outer == nullptr)
                add_results(search, castNode(Query, node));
            read_query(search, castNode(Query, node));
            return true;
        case T_SubLink:
            read_sub_select(search, castNode(SubLink, node));
            return true;
        case T_RangeTblEntry:
            read_relation(search, castNode(RangeTblEntry, node));
            return true;
        case T_OnConflictExpr:
            read_conflict(search, castNode(OnConflictExpr, node));
            return true;
        case T_TargetEntry:
            add_passed(search, reinterpret_cast<Node*>(castNode(TargetEntry, node)->expr),
                       Use::passed);
            return true;
        case T_NullTest:
            add_passed(search, reinterpret_cast<Node*>(castNode(NullTest, node)->arg),
                       Use::null_test);
            return true;
        case T_Aggref:
            if (castNode(Aggref, node)->aggfnoid != F_COUNT_ANY)
                add_arguments(search, castNode(Aggref, node));
            return false;
        case T_OpExpr:
        case T_DistinctExpr:
            return add_comparison(search, reinterpret_cast<OpExpr*>(node));
        case T_FuncExpr:
            return add_null_tests(search, castNode(FuncExpr, node));
        case T_FieldSelect:
            return add_field(search, castNode(FieldSelect, node));
        case T_Var:
            add_var(search, castNode(Var, node));
            return true;
        case T_Const:
            add_constant(search, castNode(Const, node));
            return true;
        case T_Param:
            add_use(search, Use::value, passed(search.level, node));
            read_row(search, "column", exprType(node));
            return true;
        case T_CoerceViaIO:
        case T_RowExpr:
            read_row(search, "position", exprType(node));
            return false;
        default:
            search.has_unknown_node |= !is_known(node);
            return false;
    }
}

bool walk(Node* node, void* context) {
    auto& search = *static_cast<Search*>(context);
    return node != nullptr && !read_node(search, node) && walk_expression(node, walk, context);
}

}  // namespace

Reading read(const CatalogRow& row) {
    auto* const query = makeNode(Query);
    query->rtable = row.relations;
    List* known = NIL;
    const Level level{query, nullptr, row.relation, &known};
    Search search{&level};
    if (OidIsValid(row.relation))
        search.seen = list_make1_oid(row.relation);
    walk(reinterpret_cast<Node*>(row.trees), &search);

    // The node may read anything.
    ListCell* cell;
    search.found.needs_types |= search.has_unknown_node;
    if (search.has_unknown_node)
        foreach (cell, search.seen)
            for (const std::string_view fact : {"column", "position"})
                add(search, {fact, {lfirst_oid(cell)}});
    return search.found;
}

}  // namespace uuidx::pg
