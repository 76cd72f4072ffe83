-- What has changed since the last release, for those who have that one; what is new is in files of its own.

COMMENT ON FUNCTION uuid_generator_state(integer) IS
'what this backend''s generator of version 7 (or of 1 and 6) holds: its method, its last time, how far that is ahead of the clock, how many UUIDs it made';
