// The server's functions of a time that follow its order, and what their values tell about it.
//
// PostgreSQL has date_trunc(), but nothing that says for which times it returns a day. As the time
// goes on, though, its result only grows. So the first time at which the result reaches a value can
// be found by bisection, with the function itself, whatever it computes; for nested functions, the
// first time of the outer one is the value that the inner one has to reach.
//
// Two things set such a result back: the clock of a zone, and months that are shorter than others.
// They do so by no more than the zone's offsets differ around there, or by three days: the bound is
// moved that far out.

#include "core/timestamp.h"

#include "uuidx/planner/monotone.h"

extern "C" {
#include "access/nbtree.h"
#include "catalog/pg_proc_d.h"
#include "catalog/pg_type_d.h"
#include "parser/scansup.h"
#include "pgtime.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

using std::chrono::microseconds;

constexpr int session = Monotone::zone_of_session;
constexpr int no_zone = Monotone::no_zone;
constexpr bool rising = false;
constexpr bool falling = true;

constexpr Monotone functions_of_a_time[] = {
    {F_TIMESTAMPTZ_TIMESTAMPTZ_INT4, 0},
    {F_TIMESTAMP_TIMESTAMP_INT4, 0},
    {F_DATE_TIMESTAMPTZ, 0, session},
    {F_DATE_TIMESTAMP, 0},
    {F_TIMESTAMP_TIMESTAMPTZ, 0, session},
    {F_TIMESTAMP_DATE, 0},
    {F_TIMESTAMPTZ_TIMESTAMP, 0, session},
    {F_TIMESTAMPTZ_DATE, 0, session},
    {F_TIMEZONE_TEXT_TIMESTAMPTZ, 1, 0},
    {F_TIMEZONE_TEXT_TIMESTAMP, 1, 0},
    {F_TIMEZONE_INTERVAL_TIMESTAMPTZ, 1},
    {F_TIMEZONE_INTERVAL_TIMESTAMP, 1},
    {timezone_of_session, 0, session},
    {F_DATE_TRUNC_TEXT_TIMESTAMPTZ, 1, session},
    {F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, 1, 2},
    {F_DATE_TRUNC_TEXT_TIMESTAMP, 1},
    {F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, 1},
    {F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, 1},
    {F_EXTRACT_TEXT_TIMESTAMPTZ, 1, session, rising, true},
    {F_EXTRACT_TEXT_TIMESTAMP, 1, no_zone, rising, true},
    {F_EXTRACT_TEXT_DATE, 1, no_zone, rising, true},
    {F_DATE_PART_TEXT_TIMESTAMPTZ, 1, session, rising, true},
    {F_DATE_PART_TEXT_TIMESTAMP, 1, no_zone, rising, true},
    {F_INT4_FLOAT8, 0},
    {F_INT8_FLOAT8, 0},
    {F_NUMERIC_FLOAT8, 0},
    {F_INT4_NUMERIC, 0},
    {F_INT8_NUMERIC, 0},
    {F_FLOAT8_NUMERIC, 0},
    {F_TIMESTAMPTZ_PL_INTERVAL, 0, session},
    {F_TIMESTAMPTZ_MI_INTERVAL, 0, session},
    {F_TIMESTAMP_PL_INTERVAL, 0},
    {F_TIMESTAMP_MI_INTERVAL, 0},
    {F_DATE_PL_INTERVAL, 0},
    {F_DATE_MI_INTERVAL, 0},
    {F_DATE_PLI, 0},
    {F_DATE_MII, 0},
    {F_TIMESTAMPTZ_MI, 0},
    {F_TIMESTAMPTZ_MI, 1, no_zone, falling},
    {F_TIMESTAMP_MI, 0},
    {F_TIMESTAMP_MI, 1, no_zone, falling},
    {F_DATE_MI, 0},
    {F_DATE_MI, 1, no_zone, falling},
};

constexpr Monotone identity{InvalidOid, 0};

// --- The functions between a time and what it is compared with ---

/// One function, with its arguments but for the time.
struct Step {
    const Monotone* row;
    FmgrInfo function;
    Argument arguments[3];
    int count;

    Oid type_of_time() const { return arguments[row->time].type; }
    Oid type_of_result() const {
        return row == &identity ? Oid{TIMESTAMPTZOID} : get_func_rettype(row->function);
    }

    /// Its argument of type interval; null if it has none.
    const Interval* interval() const {
        for (int i = 0; i < count; ++i)
            if (arguments[i].type == INTERVALOID)
                return DatumGetIntervalP(arguments[i].value);
        return nullptr;
    }

    bool reads(const char* field) const {
        return row->reads_field &&
               pg_strcasecmp(TextDatumGetCString(arguments[0].value), field) == 0;
    }

    /// Whether its result depends on the clock of a zone.
    bool has_zone() const {
        const Interval* const added = interval();
        if (added != nullptr && added->month == 0 && added->day == 0)
            return false;
        // The seconds since 1970 are the same in all zones.
        return row->zone != no_zone && !reads("epoch");
    }

    Datum call(Datum time) const {
        if (row == &identity)
            return time;
        LOCAL_FCINFO(fcinfo, 3);
        InitFunctionCallInfoData(*fcinfo, const_cast<FmgrInfo*>(&function),
                                 static_cast<short>(count), InvalidOid, nullptr, nullptr);
        for (int i = 0; i < count; ++i)
            fcinfo->args[i] = {i == row->time ? time : arguments[i].value, false};
        return FunctionCallInvoke(fcinfo);
    }
};

/// The parts of an interval are added one after the other: its months, its days, and its time. Each
/// of the first two goes by the clock of the zone.
std::span<Step> parts_of(const Step& step, Step* parts) {
    const bool adds_interval = step.row->function == F_TIMESTAMPTZ_PL_INTERVAL ||
                               step.row->function == F_TIMESTAMPTZ_MI_INTERVAL;
    if (!adds_interval) {
        parts[0] = step;
        return {parts, 1};
    }
    const Interval& whole = *DatumGetIntervalP(step.arguments[1].value);
    const Interval values[] = {{whole.time, 0, 0}, {0, whole.day, 0}, {0, 0, whole.month}};
    std::size_t count = 0;
    for (const Interval& value : values) {
        if (value.time == 0 && value.day == 0 && value.month == 0)
            continue;
        parts[count] = step;
        auto* const part = static_cast<Interval*>(palloc(sizeof(Interval)));
        *part = value;
        parts[count++].arguments[1].value = IntervalPGetDatum(part);
    }
    return {parts, count};
}

/// Whether each function takes what the next one returns, and the last one the time of a UUID.
bool fit_into_one_another(std::span<const Step> steps) {
    Oid type = TIMESTAMPTZOID;
    for (std::size_t i = steps.size(); i-- > 0; type = steps[i].type_of_result())
        if (steps[i].type_of_time() != type)
            return false;
    return true;
}

/// The functions as they are in the arguments of uuid_time_bound(); nullopt if they are no such
/// functions, or have no such arguments: anybody can call it.
std::optional<std::span<Step>> read(std::span<const Argument> arguments) {
    auto* const steps = static_cast<Step*>(palloc0(sizeof(Step) * (3 * arguments.size() + 1)));
    std::size_t count = 0;
    while (!arguments.empty()) {
        std::size_t time = 0;
        while (time < arguments.size() && arguments[time].type != REGPROCEDUREOID)
            ++time;
        if (time == arguments.size())
            return std::nullopt;
        const Oid function = DatumGetObjectId(arguments[time].value);
        Step step{monotone(function, static_cast<int>(time)), {}, {}, 0};
        Oid* types;
        if (step.row == nullptr)
            return std::nullopt;
        get_func_signature(function, &types, &step.count);
        const auto size = static_cast<std::size_t>(step.count);
        if (size > arguments.size())
            return std::nullopt;
        for (std::size_t i = 0; i < size; ++i) {
            if (i != time && arguments[i].type != types[i])
                return std::nullopt;
            step.arguments[i] = {types[i], arguments[i].value};
        }
        fmgr_info(function, &step.function);
        count += parts_of(step, steps + count).size();
        arguments = arguments.subspan(size);
    }
    if (count == 0)
        steps[count++] = {&identity, {}, {{TIMESTAMPTZOID, Datum{0}}}, 1};
    const std::span all{steps, count};
    return fit_into_one_another(all) ? std::optional{all} : std::nullopt;
}

// --- Comparisons ---

/// A comparison with a value.
struct Comparison {
    FmgrInfo compare;
    Datum value;
    bool is_greater;
    bool or_equal;

    bool holds(Datum other) const {
        const int32 order = DatumGetInt32(
            FunctionCall2Coll(const_cast<FmgrInfo*>(&compare), InvalidOid, other, value));
        return order == 0 ? or_equal : (order > 0) == is_greater;
    }
};

/// The greatest or the least element of an array; nullopt if it has none but NULLs.
std::optional<Datum> extreme_element(ArrayType* array, bool is_greatest) {
    const Oid type = ARR_ELEMTYPE(array);
    const TypeCacheEntry& entry = *lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
    Datum* values;
    bool* nulls;
    int count;
    deconstruct_array(array, type, entry.typlen, entry.typbyval, entry.typalign, &values, &nulls,
                      &count);
    std::optional<Datum> extreme;
    for (int i = 0; i < count; ++i) {
        if (nulls[i])
            continue;
        const bool is_more_extreme =
            !extreme ||
            (DatumGetInt32(FunctionCall2Coll(const_cast<FmgrInfo*>(&entry.cmp_proc_finfo),
                                             InvalidOid, values[i], *extreme)) > 0) == is_greatest;
        if (is_more_extreme)
            extreme = values[i];
    }
    return extreme;
}

/// The b-tree order of a type.
Oid family_of(Oid type) {
    return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

/// The comparison of an operator; nullopt if there is no value.
std::optional<Comparison> comparison(Oid op, Argument value) {
    Oid left;
    Oid right;
    op_input_types(op, &left, &right);
    const int strategy = strategy_of(op, left);
    const bool is_greater = strategy >= BTGreaterEqualStrategyNumber;
    Comparison result{
        {},
        value.value,
        is_greater,
        strategy == BTLessEqualStrategyNumber || strategy == BTGreaterEqualStrategyNumber};
    if (value.type != right) {
        // Elements that satisfy it are beyond the least, or the greatest.
        const auto element = extreme_element(DatumGetArrayTypeP(value.value), !is_greater);
        if (!element)
            return std::nullopt;
        result.value = *element;
    }
    fmgr_info(get_opfamily_proc(family_of(left), left, right, BTORDER_PROC), &result.compare);
    return result;
}

// --- Arguments, by their numbers ---

constexpr std::int64_t day = microseconds{std::chrono::days{1}}.count();

/// The arguments of a type, numbered in their order.
struct Numbering {
    /// The type of numbers, and not of times.
    bool is_of_numbers;
    /// Microseconds from one to the next; what is between two numbers has none.
    std::int64_t unit;
    std::int64_t first;
    std::int64_t end;
    Oid compare;

    Datum operator()(std::int64_t n) const {
        if (compare == F_NUMERIC_CMP)
            return NumericGetDatum(int64_div_fast_to_numeric(n, 6));
        if (compare == F_BTFLOAT8CMP)
            return Float8GetDatum(static_cast<double>(n) / 1e6);
        return compare == F_DATE_CMP ? DateADTGetDatum(static_cast<DateADT>(n)) : Int64GetDatum(n);
    }
};

constexpr Numbering numbering_of(Oid type) {
    // All times of UUIDs lie between, and no function raises an error for lack of years.
    constexpr std::int64_t first = -microseconds{std::chrono::years{500}}.count();
    constexpr std::int64_t end = microseconds{std::chrono::years{9000}}.count();
    // Millionths, as long as the number can be an integer
    constexpr std::int64_t end_of_numbers = std::int64_t{INT32_MAX} * 1'000'000;
    switch (type) {
        case NUMERICOID:
            return {true, 1, -end_of_numbers, end_of_numbers, F_NUMERIC_CMP};
        case FLOAT8OID:
            return {true, 1, -end_of_numbers, end_of_numbers, F_BTFLOAT8CMP};
        case DATEOID:
            return {false, day, first / day, end / day, F_DATE_CMP};
        default:
            return {false, 1, first, end, F_TIMESTAMP_CMP};
    }
}

// --- Zones and fields ---

const text* zone_name(const Step& step) {
    return DatumGetTextPP(step.arguments[step.row->zone].value);
}

/// Whether a name of a zone is no abbreviation, whose meaning is up to the session: there are those
/// of letters, and +03.
bool is_full_name(const text* name) {
    const std::string_view chars{VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)};
    return chars == "UTC" ||
           (chars.find_first_of("/+-<0123456789") != chars.npos && chars.find_first_of("+-") != 0);
}

/// Whether a function computes with the same offset at all times, in all sessions.
bool has_fixed_zone(const Step& step) {
    if (!step.has_zone())
        return true;
    if (step.row->zone == session || !is_full_name(zone_name(step)))
        return false;
    const pg_tz* const zone = pg_tzset(text_to_cstring(zone_name(step)));
    const pg_time_t begin = INT64_MIN / 1'000'000;
    long offset;
    int is_dst;
    pg_time_t next;
    return zone != nullptr &&
           pg_next_dst_boundary(&begin, &offset, &is_dst, &next, &offset, &is_dst, zone) == 0;
}

// --- Errors ---

/// Whether date_trunc() knows a unit.
bool is_unit(const text* name) {
    char* const chars = text_to_cstring(name);
    char* const lower = downcase_truncate_identifier(chars, static_cast<int>(strlen(chars)), false);
    int unit;
    if (DecodeUnits(0, lower, &unit) != UNITS)
        return false;
    for (const int known :
         {DTK_MICROSEC, DTK_MILLISEC, DTK_SECOND, DTK_MINUTE, DTK_HOUR, DTK_DAY, DTK_WEEK,
          DTK_MONTH, DTK_QUARTER, DTK_YEAR, DTK_DECADE, DTK_CENTURY, DTK_MILLENNIUM})
        if (unit == known)
            return true;
    return false;
}

/// Whether a function that takes an interval has a result for this one: one of no more than 2,000
/// years leads from the times of UUIDs to no time that the server does not have.
bool is_in_domain(const Interval& interval, Oid function) {
    constexpr std::int64_t years = 2000;
    const auto is_short = [](std::int64_t part, std::int64_t of_a_year) {
        return -years * of_a_year <= part && part <= years * of_a_year;
    };
    if (!is_short(interval.month, 12) || !is_short(interval.day, 366) ||
        !is_short(interval.time, 366 * day))
        return false;
    switch (function) {
        case F_TIMEZONE_INTERVAL_TIMESTAMPTZ:
        case F_TIMEZONE_INTERVAL_TIMESTAMP:
            return interval.month == 0 && interval.day == 0;
        case F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ:
        case F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP:
            return interval.month == 0 && interval.day * day + interval.time > 0;
        default:
            return true;
    }
}

/// Whether one of the arguments that are not the time is such that the function has a result.
bool is_in_domain(const Step& step, int argument) {
    const auto& [type, value] = step.arguments[argument];
    const Oid function = step.row->function;
    switch (type) {
        case TEXTOID:
            return argument == step.row->zone ? zone_named(DatumGetTextPP(value)) != nullptr
                   : step.row->reads_field    ? is_monotone_field(DatumGetTextPP(value))
                                              : is_unit(DatumGetTextPP(value));
        case INTERVALOID:
            return is_in_domain(*DatumGetIntervalP(value), function);
        case INT4OID: {
            const bool is_precision = function == F_TIMESTAMPTZ_TIMESTAMPTZ_INT4 ||
                                      function == F_TIMESTAMP_TIMESTAMP_INT4;
            const int32 n = DatumGetInt32(value);
            return is_precision ? 0 <= n && n <= MAX_TIMESTAMP_PRECISION
                                : is_in_domain({0, n, 0}, function);
        }
        default: {
            const Numbering numbering = numbering_of(type);
            const std::int64_t n = type == DATEOID ? DatumGetDateADT(value) : DatumGetInt64(value);
            return numbering.first <= n && n < numbering.end;
        }
    }
}

/// Whether a function has a result for each time, and raises no error for lack of such a zone or
/// field, or of a time so far away. The condition raises it when it comes to a row.
bool is_total(const Step& step) {
    for (int i = 0; i < step.count; ++i)
        if (i != step.row->time && step.row != &identity && !is_in_domain(step, i))
            return false;
    return true;
}

// --- Setbacks ---

constexpr std::int64_t without_end = INT64_MAX;

/// The offset of a function's zone from UTC.
std::int64_t offset(const Step& step, std::int64_t moment) {
    const Datum time = TimestampTzGetDatum(moment);
    const Datum local =
        step.row->zone == session
            ? DirectFunctionCall1(timestamptz_timestamp, time)
            : DirectFunctionCall2(timestamptz_zone, step.arguments[step.row->zone].value, time);
    return DatumGetTimestamp(local) - moment;
}

/// By how much the offsets of a function's zone differ around a moment.
///
/// A clock can be set back by as much as offsets differ in all, which is two weeks at most; from
/// there to the begin of a week is another.
std::int64_t spread(const Step& step, std::int64_t moment) {
    const pg_tz* const zone =
        step.row->zone == session ? session_timezone : zone_named(zone_name(step));
    constexpr std::int64_t second = 1'000'000;
    constexpr std::int64_t around = 22 * day;
    const pg_time_t since_1970 = epochs_apart / std::chrono::seconds{1};
    std::int64_t least = offset(step, moment - around);
    std::int64_t greatest = least;
    pg_time_t time = (moment - around) / second + since_1970;
    for (;;) {
        long before;
        long after;
        int is_dst;
        pg_time_t next;
        if (pg_next_dst_boundary(&time, &before, &is_dst, &next, &after, &is_dst, zone) != 1 ||
            (next - since_1970) * second > moment + around)
            return greatest - least;
        const std::int64_t there = offset(step, (next - since_1970) * second);
        least = Min(least, there);
        greatest = Max(greatest, there);
        time = next;
    }
}

/// How much later a time must be for a function's value to be no less than at one around `moment`.
/// Numbers with fractions may lie between two that are numbered.
std::int64_t setback(const Step& step, const Numbering& numbering, std::int64_t number,
                     bool has_fractions) {
    if (numbering.is_of_numbers)
        return has_fractions ? 1 : 0;
    const std::int64_t moment = number * numbering.unit;
    const Interval* const interval = step.interval();
    const std::int64_t by_months = interval != nullptr && interval->month != 0 ? 3 * day : 0;
    if (!step.has_zone())
        return by_months;
    std::int64_t by_zone = spread(step, moment);
    // It goes to the clock of the zone and back, at another time.
    if (interval != nullptr)
        by_zone += spread(step, DatumGetTimestampTz(step.call(TimestampTzGetDatum(moment))));
    // Days in the order of the clock may begin in another one.
    if (by_zone > day)
        return without_end;
    // Full hours by a clock that goes on at another minute
    constexpr std::int64_t hour = day / 24;
    return by_months + by_zone + (by_zone > 0 ? hour : 0);
}

// --- Bisection ---

/// The first time from `first` on for which `holds`, which does for all after it; `end` if there is
/// none.
template <class Condition>
std::int64_t bisect(std::int64_t first, std::int64_t end, Condition holds) {
    while (first < end) {
        const std::int64_t middle = first + (end - first) / 2;
        if (holds(middle))
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

/// Turns a comparison of a function's value into the one of its argument that it implies. The
/// latter holds for no others if it `is_exact`.
struct Inversion {
    Comparison comparison;
    bool has_fractions;
    bool is_exact = true;

    /// False if all arguments may satisfy it.
    bool invert(const Step& step, bool is_innermost) {
        const Numbering numbering = numbering_of(step.type_of_time());
        const bool is_lower_bound = comparison.is_greater != step.row->is_falling;
        const std::int64_t bound = bisect(numbering.first, numbering.end, [&](std::int64_t n) {
            return comparison.holds(step.call(numbering(n))) == is_lower_bound;
        });
        // An inner function may return values beyond.
        is_exact &= is_innermost || (bound != numbering.first && bound != numbering.end);
        if (bound == (is_lower_bound ? numbering.first : numbering.end))
            return false;
        const std::int64_t back = setback(step, numbering, bound, has_fractions);
        is_exact &= back == 0;
        if (back == without_end)
            return false;
        const std::int64_t units = (back + numbering.unit - 1) / numbering.unit;
        comparison.value = numbering(is_lower_bound ? bound - units : bound - 1 + units);
        comparison.is_greater = is_lower_bound;
        comparison.or_equal = true;
        fmgr_info(numbering.compare, &comparison.compare);
        return true;
    }
};

/// nullopt if the bound is infinite.
std::optional<TimestampTz> bound_of(Inversion& inversion, std::span<const Step> steps) {
    inversion.is_exact = std::all_of(steps.begin(), steps.end(), is_total);
    if (!inversion.is_exact)
        return std::nullopt;
    for (const Step& step : steps)
        if (!inversion.invert(step, &step == &steps.back()))
            return std::nullopt;
    return DatumGetTimestampTz(inversion.comparison.value);
}

}  // namespace

bool is_monotone_field(const text* field) {
    const std::string_view chars{VARDATA_ANY(field), VARSIZE_ANY_EXHDR(field)};
    for (const std::string_view name :
         {"year", "isoyear", "decade", "century", "millennium", "julian", "epoch"})
        if (chars.size() == name.size() &&
            pg_strncasecmp(chars.data(), name.data(), name.size()) == 0)
            return true;
    return false;
}

const Monotone* monotone(Oid function, int argument) {
    for (const Monotone& row : functions_of_a_time)
        if (row.function == function && row.time == argument && OidIsValid(function))
            return &row;
    return nullptr;
}

int strategy_of(Oid op, Oid left) {
    const Oid family = family_of(left);
    return OidIsValid(family) ? get_op_opfamily_strategy(op, family) : 0;
}

Oid with_strategy(Oid op, int strategy) {
    Oid left;
    Oid right;
    op_input_types(op, &left, &right);
    return get_opfamily_member(family_of(left), left, right, static_cast<int16>(strategy));
}

int strategy_of(Oid op, Oid type, std::span<const Argument> functions) {
    const auto steps = read(functions);
    if (!steps || !OidIsValid(get_opcode(op)))
        return 0;
    Oid left;
    Oid right;
    op_input_types(op, &left, &right);
    if (left != steps->front().type_of_result())
        return 0;
    return type == right || get_element_type(type) == right ? strategy_of(op, left) : 0;
}

std::optional<TimeBound> time_bound(Oid op, Argument value, std::span<const Argument> functions) {
    const auto steps = read(functions);
    const auto of_result = steps ? comparison(op, value) : std::nullopt;
    if (!of_result)
        return std::nullopt;
    bool is_lower_bound = of_result->is_greater;
    for (const Step& step : *steps)
        is_lower_bound ^= step.row->is_falling;
    // Other fields are whole numbers, which casts keep.
    const bool has_fractions = std::any_of(steps->begin(), steps->end(), [](const Step& step) {
        return step.reads("epoch") || step.reads("julian");
    });
    Inversion inversion{*of_result, has_fractions};
    const auto bound = bound_of(inversion, *steps);
    return TimeBound{bound.value_or(is_lower_bound ? DT_NOBEGIN : DT_NOEND), inversion.is_exact};
}

bool is_independent_of_session(Oid op, std::span<const Argument> functions) {
    if (func_volatile(get_opcode(op)) != PROVOLATILE_IMMUTABLE)
        return false;
    const auto steps = read(functions);
    return steps && std::all_of(steps->begin(), steps->end(), [](const Step& step) {
               return !step.has_zone() ||
                      (step.row->zone != session && is_full_name(zone_name(step)));
           });
}

bool keep_order(std::span<const Argument> functions) {
    const auto steps = read(functions);
    return steps && std::all_of(steps->begin(), steps->end(), [](const Step& step) {
               const Interval* const interval = step.interval();
               const bool has_months = interval != nullptr && interval->month != 0;
               return !step.row->is_falling && !has_months && has_fixed_zone(step);
           });
}

}  // namespace uuidx::pg
