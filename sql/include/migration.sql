-- What tests of migrations begin with: how they print, and the helpers errors(), faults() and obstacles()
\set SHOW_CONTEXT never
\pset format wrapped
\pset columns 200
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
\ir errors.sql
\ir faults.sql
\ir obstacles.sql
