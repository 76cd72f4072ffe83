-- Whoever installs a trusted extension has this script run by a superuser, in a schema where others may have made
-- functions and operators. One whose arguments match a call better than those of PostgreSQL's own would be bound
-- to it for ever, whatever search_path says. So all is made in a schema where nobody else can make anything.
CREATE SCHEMA uuidx_installation;
SET LOCAL search_path = uuidx_installation, pg_temp;
