-- Only a superuser can create objects in the schema uuidx_migrate, so the script works in it.
SET LOCAL search_path = uuidx_migrate, pg_catalog, pg_temp;
SET LOCAL standard_conforming_strings = on;
