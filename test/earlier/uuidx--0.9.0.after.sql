ALTER OPERATOR FAMILY uuid_time_ops USING btree ADD FUNCTION 2 (uuid, uuid) uuid_time_sortsupport(internal);
