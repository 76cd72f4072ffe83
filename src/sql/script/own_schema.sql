-- Nobody but a superuser can make anything in the schema uuidx_migrate: the script works in it.
SET LOCAL search_path = uuidx_migrate, pg_catalog, pg_temp;
SET LOCAL standard_conforming_strings = on;
