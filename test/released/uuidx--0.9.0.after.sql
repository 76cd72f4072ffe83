-- uuid_v7_in has called it until now.
DROP FUNCTION uuid_v7_floor(tstzrange);
