/*
 * Stands in for extensions that change queries while the planner is at work on them. Settings say
 * what it does:
 *
 * stand_in.appends: as TimescaleDB does, hides from the planner that a table has children, and
 * appends them when it makes the paths of the table;
 * stand_in.replaces: puts another join tree in the place of the query's, of two more tables, one of
 * which is built;
 * stand_in.plans: the query that is planned and run whenever the paths of a table are made.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static bool appends;
static bool replaces;
static char* plans;

static set_rel_pathlist_hook_type previous_of_paths;

static bool is_read(PlannerInfo* root, RangeTblEntry* entry) {
    return root->parse->commandType == CMD_SELECT && root->parse->rowMarks == NIL &&
           entry->rtekind == RTE_RELATION && entry->relkind == RELKIND_RELATION &&
           entry->tablesample == NULL;
}

/* Hypertables have no constraint that their chunks do not have. */
static bool has_own_constraint(Oid oid) {
    Relation table = table_open(oid, NoLock);
    TupleConstr* constraints = RelationGetDescr(table)->constr;
    bool found = false;
    int i;

    for (i = 0; constraints != NULL && i < constraints->num_check; i++)
        found |= constraints->check[i].ccnoinherit;
    table_close(table, NoLock);
    return found;
}

static void hide_children(PlannerInfo* root, RelOptInfo* table) {
    RangeTblEntry* entry = root->simple_rte_array[table->relid];

    if (appends && table->reloptkind == RELOPT_BASEREL && is_read(root, entry) && entry->inh &&
        !has_own_constraint(entry->relid))
        entry->inh = false;
}

#if PG_VERSION_NUM >= 190000
static build_simple_rel_hook_type previous_of_tables;

static void visit_table(PlannerInfo* root, RelOptInfo* table, RangeTblEntry* entry) {
    if (previous_of_tables != NULL)
        previous_of_tables(root, table, entry);
    hide_children(root, table);
}
#define table_hook build_simple_rel_hook
#else
static get_relation_info_hook_type previous_of_tables;

static void visit_table(PlannerInfo* root, Oid oid, bool is_parent, RelOptInfo* table) {
    if (previous_of_tables != NULL)
        previous_of_tables(root, oid, is_parent, table);
    hide_children(root, table);
}
#define table_hook get_relation_info_hook
#endif

/* Another entry for a table that the query reads already. */
static Index append_entry(PlannerInfo* root, RangeTblEntry* entry, Oid oid) {
    RangeTblEntry* copy = copyObject(entry);

    copy->relid = oid;
    copy->inh = false;
    copy->securityQuals = NIL;
    root->parse->rtable = lappend(root->parse->rtable, copy);
    return list_length(root->parse->rtable);
}

static RelOptInfo* build(PlannerInfo* root, Index number, RelOptInfo* parent,
                         AppendRelInfo* child) {
    RangeTblEntry* entry = list_nth(root->parse->rtable, number - 1);
    RelOptInfo* table;

    expand_planner_arrays(root, 1);
    root->simple_rte_array[number] = entry;
    root->append_rel_array[number] = child;
    table = build_simple_rel(root, number, parent);
    /* No more privileges than those of the table itself. */
#if PG_VERSION_NUM >= 160000
    entry->perminfoindex = 0;
#else
    entry->requiredPerms = 0;
#endif
    return table;
}

/* A child with its size and its paths, as set_append_rel_size() and set_rel_pathlist() do it. */
static RelOptInfo* append_child(PlannerInfo* root, RelOptInfo* parent, RangeTblEntry* entry,
                                Oid oid) {
    Index number = append_entry(root, entry, oid);
    Relation parent_table = table_open(entry->relid, NoLock);
    Relation child_table = table_open(oid, NoLock);
    AppendRelInfo* info = make_append_rel_info(parent_table, child_table, parent->relid, number);
    RelOptInfo* child;

    table_close(child_table, NoLock);
    table_close(parent_table, NoLock);
    root->append_rel_list = lappend(root->append_rel_list, info);
    child = build(root, number, parent, info);
    if (IS_DUMMY_REL(child))
        return NULL;
    child->joininfo = (List*)adjust_appendrel_attrs(root, (Node*)parent->joininfo, 1, &info);
    child->reltarget->exprs =
        (List*)adjust_appendrel_attrs(root, (Node*)parent->reltarget->exprs, 1, &info);
    if (parent->has_eclass_joins || has_useful_pathkeys(root, parent))
        add_child_rel_equivalences(root, info, parent, child);
    child->has_eclass_joins = parent->has_eclass_joins;
    child->lateral_relids = parent->lateral_relids;
    check_index_predicates(root, child);
    set_baserel_size_estimates(root, child);
    root->total_table_pages += child->pages;
    add_path(child, create_seqscan_path(root, child, child->lateral_relids, 0));
    create_index_paths(root, child);
    set_rel_pathlist_hook(root, child, number, root->simple_rte_array[number]);
    set_cheapest(child);
    return child;
}

static void append_children(PlannerInfo* root, RelOptInfo* table, RangeTblEntry* entry) {
    List* children = NIL;
    ListCell* cell;

    entry->inh = true;
    table->rows = table->tuples = 0;
    table->pathlist = table->partial_pathlist = NIL;
    foreach (cell, find_all_inheritors(entry->relid, AccessShareLock, NULL)) {
        RelOptInfo* child = append_child(root, table, entry, lfirst_oid(cell));

        if (child == NULL)
            continue;
        children = lappend(children, child);
        table->rows += child->rows;
        table->tuples += child->tuples;
    }
    add_paths_to_append_rel(root, table, children);
}

static void replace_join_tree(PlannerInfo* root, RangeTblEntry* entry) {
    RangeTblRef* tables[2];
    int i;

    for (i = 0; i < 2; i++) {
        tables[i] = makeNode(RangeTblRef);
        tables[i]->rtindex = append_entry(root, entry, entry->relid);
    }
    root->parse->jointree = makeFromExpr(list_make2(tables[0], tables[1]), NULL);
    /* The planner makes no paths of its own for them. */
    for (i = 0; i < 2; i++)
        build(root, tables[i]->rtindex, NULL, NULL)->reloptkind = RELOPT_OTHER_MEMBER_REL;
}

static void plan_and_run(const char* query) {
    static bool is_running = false;

    if (is_running)
        return;
    is_running = true;
    PG_TRY();
    {
        SPI_connect();
        SPI_execute(query, true, 0);
        SPI_finish();
    }
    PG_FINALLY();
    { is_running = false; }
    PG_END_TRY();
}

static void visit_paths(PlannerInfo* root, RelOptInfo* table, Index number, RangeTblEntry* entry) {
    bool is_new = bms_is_member(number, root->all_baserels) && is_read(root, entry);

    if (plans[0] != '\0')
        plan_and_run(plans);
    if (replaces && is_new)
        replace_join_tree(root, entry);
    if (appends && is_new && !entry->inh && !IS_DUMMY_REL(table) && has_subclass(entry->relid) &&
        !has_own_constraint(entry->relid))
        append_children(root, table, entry);
    if (previous_of_paths != NULL)
        previous_of_paths(root, table, number, entry);
}

void _PG_init(void) {
    DefineCustomBoolVariable("stand_in.appends", "Appends children late.", NULL, &appends, false,
                             PGC_USERSET, 0, NULL, NULL, NULL);
    DefineCustomBoolVariable("stand_in.replaces", "Replaces join trees.", NULL, &replaces, false,
                             PGC_USERSET, 0, NULL, NULL, NULL);
    DefineCustomStringVariable("stand_in.plans", "Plans this query beside others.", NULL, &plans,
                               "", PGC_USERSET, 0, NULL, NULL, NULL);
    previous_of_tables = table_hook;
    table_hook = visit_table;
    previous_of_paths = set_rel_pathlist_hook;
    set_rel_pathlist_hook = visit_paths;
}
