# make                build the module and what CREATE and ALTER EXTENSION run
# make install        install them into the server of PG_CONFIG
# make installcheck   test them on a running server (pg_regress) and on servers of its own (TAP)
# make unit           build and run the unit tests of the core
#
# PG_CONFIG=/path/to/pg_config chooses the server, CXX=clang++ the compiler.

EXTENSION = uuidx uuidx_ossp
MODULE_big = uuidx
SQL_SUBJECTS = read generate convert text query pg_uuidv7 time_ops defaults backfill ties obstacles plan migrate locked shadow exchange online
CORE_OBJS = src/core/vectors.o src/core/name_based.o src/core/random.o src/core/mac_address.o
PG_OBJS = src/pg/module.o src/pg/settings.o src/pg/generators.o src/pg/read.o src/pg/generate.o src/pg/convert.o \
	src/pg/text.o src/pg/query.o src/pg/time_ops.o src/pg/backfill.o src/pg/ossp.o src/pg/defaults.o
OBJS = $(CORE_OBJS) $(PG_OBJS)

version := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" uuidx.control)
# What was released stays as it is, in a folder of its own. The way from the last release to this version is made anew,
# until this one is released.
DATA = $(wildcard src/sql/released/*.sql)
DATA_built = uuidx--$(version).sql uuidx--0.1.0--$(version).sql uuidx_ossp--$(version).sql

# These are tested as parts of the plan and of the online migration.
REGRESS = catalog $(filter-out ties obstacles shadow exchange,$(SQL_SUBJECTS)) ossp
REGRESS_OPTS = --load-extension=uuidx --encoding=UTF8 --no-locale
TAP_TESTS = 1
PROVE_TESTS = test/t/*.pl

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
includedir_server := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)

# The server's headers as system headers: their warnings are not ours.
PG_CPPFLAGS = -Isrc -isystem $(includedir_server)
# The core needs nothing of libstdc++ at run time: no exceptions, no type information, no guards
# around the initialization of static variables.
PG_CXXFLAGS = -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
	-fvisibility=hidden -Wall -Wextra $(WERROR)
# Two words that were just stored are not to be copied as one vector: the load waits for the stores.
PG_CXXFLAGS += -fno-tree-slp-vectorize
# Clang knows not all the warnings of a server that g++ built.
PG_CXXFLAGS += $(if $(findstring clang,$(shell $(CXX) --version 2>&1)),-Wno-unknown-warning-option)
SHLIB_LINK = -lcrypto
EXTRA_CLEAN = .built-for test/unit/build results regression.diffs regression.out tmp_check log

# What the build needs and a machine may lack is asked for before the first compiler error.
hash := \#
need = $(if $(shell $(1) >/dev/null 2>&1 && echo yes),,$(error $(2)))
ifeq ($(filter clean distclean,$(MAKECMDGOALS)),)
$(call need,$(PG_CONFIG) --version,cannot run $(PG_CONFIG): install PostgreSQL 14 or newer with \
its development files (Debian: postgresql-server-dev-15) or set PG_CONFIG to the path of pg_config)
$(call need,$(PG_CONFIG) --version | grep -E 'PostgreSQL (1[4-9]|[2-9][0-9])',\
$(shell $(PG_CONFIG) --version) is too old: uuidx needs PostgreSQL 14 or newer)
$(call need,test -e $(PGXS) -a -e $(includedir_server)/postgres.h,the development files of \
$(shell $(PG_CONFIG) --version) are missing: install them (Debian: postgresql-server-dev-15))
$(call need,$(CXX) --version,cannot run the C++ compiler $(CXX): install it (Debian: g++) or set CXX)
$(call need,echo 'static_assert(__cplusplus > 201703L);' | $(CXX) -std=c++20 -xc++ -fsyntax-only -,\
$(CXX) does not know C++20: install g++ 11 or clang 14 or newer or set CXX)
$(call need,printf '$(hash)include <openssl/evp.h>\n$(hash)if OPENSSL_VERSION_NUMBER < 0x10101000L\n$(hash)error\n$(hash)endif\n' \
| $(CXX) $(CPPFLAGS) -xc++ -E -,the headers of OpenSSL 1.1.1 or newer are missing: install them \
(Debian: libssl-dev))
endif

include $(PGXS)

override BITCODE_CXXFLAGS += $(PG_CXXFLAGS)

# Objects for one server or of one compiler are not for another.
built_for := $(shell $(PG_CONFIG) --version) $(includedir_server) $(CXX)
ifeq ($(filter clean distclean,$(MAKECMDGOALS)),)
$(shell echo '$(built_for)' | cmp -s - .built-for || echo '$(built_for)' >.built-for)
endif
$(OBJS) $(OBJS:.o=.bc): .built-for Makefile $(wildcard src/core/*.h src/pg/*.h)

sql_files = $(patsubst %,src/sql/%.sql,$(1))
# Joins what a script is made of; of the extension $(1), for the command $(2).
join_sql = { printf '%s\n' '\echo Use "$(2)" to load this file. \quit'; \
	sed 's/EXTENSION_NAME/$(1)/g' $(filter %.sql,$^); } > $@

uuidx--$(version).sql: uuidx.control $(call sql_files,install_begin $(SQL_SUBJECTS) install_end)
	$(call join_sql,uuidx,CREATE EXTENSION uuidx)
uuidx--0.1.0--$(version).sql: uuidx.control $(call sql_files,upgrade_begin changes defaults install_end)
	$(call join_sql,uuidx,ALTER EXTENSION uuidx UPDATE)
uuidx_ossp--$(version).sql: uuidx_ossp.control $(call sql_files,install_begin ossp install_end)
	$(call join_sql,uuidx_ossp,CREATE EXTENSION uuidx_ossp)

.PHONY: unit
unit:
	$(MAKE) -C test/unit check

.DELETE_ON_ERROR:
