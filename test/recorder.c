/*
 * Loaded into the sessions of a test with `scripts/test --record`: writes each call of a function
 * of the schema uuidx_migrate that returns rows, its arguments other than defaults, and its rows or
 * its error, to a file in the folder UUIDX_RECORD. The file has the name of the test, which
 * PostgreSQL's test programs put into application_name.
 *
 * The function manager calls such a function through fmgr_security_definer(), as if it had the
 * attribute SECURITY DEFINER, because of needs_fmgr_hook; there fmgr_hook puts record() in its
 * place. No catalog shows it, and no role needs a privilege.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

PG_MODULE_MAGIC;

void _PG_init(void);

/* The function in whose place record() stands */
static PGFunction recorded;
/* Whether a call is recorded now: what it calls itself is not. */
static bool recording;

static char* text_of(Oid type, Datum value, bool is_null) {
    Oid output;
    bool is_varlena;

    if (is_null)
        return "NULL";
    getTypeOutputInfo(type, &output, &is_varlena);
    return OidOutputFunctionCall(output, value);
}

/* While settings are at this level, names are shown with their schemas. */
static int qualify_names(void) {
    int level = NewGUCNestLevel();

    set_config_option("search_path", "", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                      false);
    return level;
}

static void append_call(StringInfo out, FunctionCallInfo call) {
    Oid function = call->flinfo->fn_oid;
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    Form_pg_proc form = (Form_pg_proc)GETSTRUCT(tuple);
    List* defaults = NIL;
    int first_default = form->pronargs - form->pronargdefaults;
    Oid* types;
    char** names;
    char* modes;
    bool no_defaults;
    Datum nodes = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargdefaults, &no_defaults);

    if (!no_defaults)
        defaults = castNode(List, stringToNode(TextDatumGetCString(nodes)));
    get_func_arg_info(tuple, &types, &names, &modes);
    appendStringInfo(out, "call: %s\n", NameStr(form->proname));
    for (int all = 0, i = 0; i < form->pronargs; all++) {
        char* argument;
        Const* standard;

        if (modes && modes[all] != PROARGMODE_IN && modes[all] != PROARGMODE_INOUT &&
            modes[all] != PROARGMODE_VARIADIC)
            continue;
        argument = text_of(types[all], call->args[i].value, call->args[i].isnull);
        standard = i < first_default ? NULL
                                     : (Const*)eval_const_expressions(
                                           NULL, list_nth(defaults, i - first_default));
        if (!standard || !IsA(standard, Const) ||
            strcmp(argument, text_of(types[all], standard->constvalue, standard->constisnull)) != 0)
            appendStringInfo(out, "%s => %s\n", names[all], argument);
        i++;
    }
    ReleaseSysCache(tuple);
}

static void append_rows(StringInfo out, ReturnSetInfo* set) {
    TupleTableSlot* slot;

    if (set->returnMode != SFRM_Materialize)
        elog(ERROR, "a function to be recorded returned one row at a time");
    if (!set->setResult)
        return;
    slot = MakeSingleTupleTableSlot(set->setDesc, &TTSOpsMinimalTuple);
    while (tuplestore_gettupleslot(set->setResult, true, false, slot)) {
        appendStringInfoString(out, "row:\n");
        slot_getallattrs(slot);
        for (int i = 0; i < set->setDesc->natts; i++) {
            Form_pg_attribute column = TupleDescAttr(set->setDesc, i);

            appendStringInfo(out, "%s: %s\n", NameStr(column->attname),
                             text_of(column->atttypid, slot->tts_values[i], slot->tts_isnull[i]));
        }
    }
    ExecDropSingleTupleTableSlot(slot);
    tuplestore_rescan(set->setResult);
}

/* One write for each record: sessions at the same time do not mix theirs. */
static void write_record(StringInfo out) {
    const char* test = strrchr(application_name, '/');
    char* path = psprintf("%s/%s", getenv("UUIDX_RECORD"), test ? test + 1 : application_name);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);

    if (file < 0 || write(file, out->data, out->len) != out->len)
        elog(WARNING, "could not write \"%s\": %m", path);
    close(file);
}

static Datum record(PG_FUNCTION_ARGS) {
    ReturnSetInfo* set = (ReturnSetInfo*)fcinfo->resultinfo;
    MemoryContext context = CurrentMemoryContext;
    PGFunction function = recorded;
    StringInfoData out;
    int level;
    Datum result;

    if (recording)
        return function(fcinfo);

    initStringInfo(&out);
    set->allowedModes |= SFRM_Materialize_Preferred;
    recording = true;
    PG_TRY();
    {
        level = qualify_names();
        append_call(&out, fcinfo);
        AtEOXact_GUC(true, level);
        result = function(fcinfo);
        level = qualify_names();
        append_rows(&out, set);
        AtEOXact_GUC(true, level);
    }
    PG_CATCH();
    {
        ErrorData* error;

        MemoryContextSwitchTo(context);
        error = CopyErrorData();
        appendStringInfo(&out, "error: %s: %s\ndetail: %s\nhint: %s\n",
                         unpack_sql_state(error->sqlerrcode), error->message,
                         error->detail ? error->detail : "", error->hint ? error->hint : "");
        write_record(&out);
        recording = false;
        PG_RE_THROW();
    }
    PG_END_TRY();
    write_record(&out);
    recording = false;
    return result;
}

static bool is_recorded(Oid function) {
    char* schema;

    if (function < FirstNormalObjectId)
        return false;
    schema = get_namespace_name(get_func_namespace(function));
    return schema && strcmp(schema, "uuidx_migrate") == 0 && get_func_retset(function);
}

static void put_in_place(FmgrHookEventType event, FmgrInfo* function, Datum* original) {
    if (event != FHET_START || !is_recorded(function->fn_oid))
        return;
    if (function->fn_addr != record) {
        *original = PointerGetDatum(function->fn_addr);
        function->fn_addr = record;
    }
    recorded = (PGFunction)DatumGetPointer(*original);
}

void _PG_init(void) {
    if (!getenv("UUIDX_RECORD"))
        return;
    needs_fmgr_hook = is_recorded;
    fmgr_hook = put_in_place;
}
