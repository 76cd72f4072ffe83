# make                build the module, and the install and update scripts
# make install        install them into the server of PG_CONFIG
# make installcheck   test them on the running server (pg_regress) and on temporary servers (TAP)
# make unit           build and run the unit tests of the core
# make dist           pack what is committed into dist/, as PGXN takes it
#
# PG_CONFIG=/path/to/pg_config chooses the server, CXX=clang++ the compiler.

EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" uuidx.control)
EXTENSION = uuidx uuidx_migrate uuidx_ossp uuidx_pg_uuidv7 uuidx_pg18
MODULE_big = uuidx
# The versions to update from. What CREATE OR REPLACE cannot do is in UPDATES: an update script runs NAME--FROM.before.sql
# before it replaces the functions, and NAME--FROM.after.sql after that.
UPDATE_FROM =
UPDATES = src/updates
OBJS = $(patsubst %.cpp,%.o,$(wildcard src/*/*.cpp src/*/*/*.cpp))

install_scripts = $(EXTENSION:=--$(EXTVERSION).sql)
update_scripts = $(foreach from,$(UPDATE_FROM),$(EXTENSION:=--$(from)--$(EXTVERSION).sql))
# The SQL edition as an extension of pg_tle is registered by uuidx-tle.sql.
DATA_built = $(install_scripts) $(update_scripts) uuidx-tle.sql
# The SQL edition, and what makes its functions the library's
DATA = sql-edition/uuidx.sql sql-edition/uuidx-adopt.sql

REGRESS = $(patsubst sql/%.sql,%,$(wildcard sql/*.sql))
REGRESS_OPTS = --load-extension=uuidx --load-extension=uuidx_migrate --encoding=UTF8 --no-locale
TAP_TESTS = 1
PROVE_TESTS = test/t/*/*.pl

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
server := $(shell $(PG_CONFIG) --version 2>/dev/null)
# The headers that the server has, wherever `make install prefix=...` puts the module.
server_headers := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)

# Treat the server's headers as system headers, to silence their warnings.
PG_CPPFLAGS = -Isrc -isystem $(server_headers) -DUUIDX_VERSION='"$(EXTVERSION)"'
# Do without libstdc++ at run time: no exceptions, no RTTI, and no guards around the initialization of static variables.
PG_CXXFLAGS = -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
	-fvisibility=hidden -Wall -Wextra $(WERROR)
# PostgreSQL reads nodes by pointers of other types, and has numbers wrap around. The server's flags say so, but they give
# way to CXXFLAGS.
PG_CXXFLAGS += -fno-strict-aliasing -fwrapv
# Clang does not know all warning options of a server that g++ built.
clang := $(findstring clang,$(shell $(CXX) --version 2>&1))
PG_CXXFLAGS += $(if $(clang),-Wno-unknown-warning-option)
precompiled = src/core/first.h.gch
SHLIB_LINK = -lcrypto
# The symbols that the module exports. Without optimization, g++ exports the templates of the C++ library, too.
SHLIB_EXPORTS = src/server/exports.txt
EXTRA_CLEAN = .built-for .without-cxx $(precompiled) $(SHLIB_EXPORTS:.txt=.list) dist windows/build test/unit/build test/fuzz/build results regression.diffs regression.out tmp_check log

unused := $(filter-out $(foreach from,$(UPDATE_FROM),$(EXTENSION:=--$(from).before.sql) $(EXTENSION:=--$(from).after.sql)),\
	$(notdir $(wildcard $(UPDATES)/*.before.sql $(UPDATES)/*.after.sql)))
$(if $(unused),$(error $(UPDATES) has $(unused), for no extension and version of UPDATE_FROM))

# Report what PGXS needs before it is included; src/core/compiler.h and compat.h report the rest.
$(if $(server),,$(error cannot run $(PG_CONFIG): install PostgreSQL 14 or newer with its development files \
	(Debian: postgresql-server-dev-15) or set PG_CONFIG to the path of pg_config))
$(if $(and $(wildcard $(PGXS)),$(wildcard $(server_headers)/postgres.h)),,$(error the development files of $(server) \
	are missing: install them (Debian: postgresql-server-dev-15)))

include $(PGXS)

override BITCODE_CXXFLAGS += $(PG_CXXFLAGS)
# What packagers add to the flags of a server, which servers before 18 give to C alone. The module's own flags go last.
override CXXFLAGS := $(COPT) $(CXXFLAGS)

# Rebuild if the server, the compiler or CXXFLAGS change.
built_for := $(server) $(server_headers) $(CXX) $(filter-out $(WERROR),$(CXXFLAGS))
ifeq ($(filter clean distclean,$(MAKECMDGOALS)),)
quoted = '$(subst ','\'',$(built_for))'
$(shell echo $(quoted) | cmp -s - .built-for || echo $(quoted) >.built-for)
endif
$(OBJS) $(OBJS:.o=.bc): .built-for Makefile $(wildcard src/*/*.h src/*/*/*.h)
# It has the version in it.
src/uuidx/module.o src/uuidx/module.bc: uuidx.control

# What all files include first is compiled once, which halves the time of a build. g++ finds it beside the header, and
# -fpch-preprocess shows it to ccache. Bitcode does without, as another compiler may make it.
$(OBJS): $(precompiled)
$(OBJS): override CPPFLAGS += $(if $(clang),-include-pch $(precompiled),-include core/first.h -fpch-preprocess -Winvalid-pch)
$(OBJS:.o=.bc): override CPPFLAGS += -include core/first.h
$(precompiled): override CPPFLAGS := $(CPPFLAGS)
$(precompiled): .built-for Makefile $(wildcard src/core/*.h)
	$(COMPILE.cpp) -x c++-header -o $@ $(@:.gch=)

all: .without-cxx

# A server need not have the C++ library in its process, so the module uses nothing of it: a symbol that the module takes
# from elsewhere has a C name, and is none of those by which compilers call the library.
NM ?= nm
undefined = $(NM) --undefined-only --format=posix
# A library of ELF may be stripped; one of macOS has no dynamic symbols.
.without-cxx: $(shlib)
	@$(undefined)$(if $(filter darwin,$(PORTNAME)),, -D) $< >$@
	@symbols=$$(sed 's/[@ ].*//' $@ | grep -E '^_?(_Z|__cxa_|__gxx_|__dynamic_cast|_Unwind_)' | grep -vE '__cxa_(finalize|atexit)'); \
	for symbol in $$symbols; do \
		objects=$$(for object in $(OBJS); do $(undefined) $$object | grep -q "^$$symbol " && echo $$object; done); \
		for user in $${objects:-$<}; do \
			echo "$$user uses $$(c++filt $$symbol) of the C++ library, which a server need not have" >&2; \
	done; done; test -z "$$symbols"

# A script works in a private schema, and moves each object `made` from it to the extension's schema: the one that the user
# has chosen or, for uuidx_migrate, those that own_schema.sql creates. What the files in its folder api make is for users.
schema = (SELECT extnamespace FROM pg_extension WHERE extname = '$(1)')::regnamespace
verbs := $(shell sed -nE "s/^CREATE OR REPLACE (FUNCTION|VIEW) ([a-z_]+).*/'\2'/p" src/uuidx_migrate/api/*.sql)
schema_uuidx_migrate = (CASE WHEN made.name IN ($(subst $(space),$(comma) ,$(verbs))) THEN 'uuidx_migrate' ELSE 'uuidx_migrate_steps' END)::regnamespace
comma := ,
space := $(subst x,,x x)
script = $(patsubst %,src/script/%.sql,$(1))
# The files of an extension, in the order in which a script runs them. Update scripts leave out *.once.sql.
subjects = $(addprefix src/$(1)/,$(shell sed '/^\#/d' src/$(1)/sql_order))
# Joins a script of the extension $(1), which the command $(2) runs.
join_sql = { printf '%s\n' '\echo Use "$(2)" to load this file. \quit'; \
	sed "s/@EXTENSION@/$(1)/g; s/@SCHEMA@/$(or $(schema_$(1)),$(schema))/g" $(filter %.sql,$^); } > $@

define install_script
$(1)--$(EXTVERSION).sql: $(call script,private_schema) src/$(1)/sql_order $(call subjects,$(1)) \
	$(if $(schema_$(1)),$(call script,own_schema)) $(call script,move_out) Makefile uuidx.control
	$$(call join_sql,$(1),CREATE EXTENSION $(1))
endef
$(foreach extension,$(EXTENSION),$(eval $(call install_script,$(extension))))

define update_script
$(1)--$(2)--$(EXTVERSION).sql: $(call script,private_schema move_in) $(wildcard $(UPDATES)/$(1)--$(2).before.sql) \
	src/$(1)/sql_order $(filter-out %.once.sql,$(call subjects,$(1))) $(wildcard $(UPDATES)/$(1)--$(2).after.sql) $(call script,move_out) Makefile
	$$(call join_sql,$(1),ALTER EXTENSION $(1) UPDATE)
endef
$(foreach from,$(UPDATE_FROM),$(foreach extension,$(EXTENSION),$(eval $(call update_script,$(extension),$(from)))))

uuidx-tle.sql: sql-edition/uuidx-tle.sql.in sql-edition/uuidx.sql sql-edition/uuidx_sql.control uuidx.control Makefile
	comment=$$(sed -n "s/^comment = '\(.*\)'/\1/p" sql-edition/uuidx_sql.control); \
	sed -e '/^@EDITION@$$/{r $(filter %.sql,$^)' -e d -e '}' -e "s|@COMMENT@|$$comment|; s/@VERSION@/$(EXTVERSION)/" $< > $@

.PHONY: sql unit dist
sql: $(DATA_built)

distribution = uuidx-$(EXTVERSION)
dist:
	mkdir -p dist
	git archive --format=zip --prefix=$(distribution)/ --output=dist/$(distribution).zip HEAD

unit:
	$(MAKE) -C test/unit check

.DELETE_ON_ERROR:
