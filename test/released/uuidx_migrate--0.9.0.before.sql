ALTER TABLE backfills ADD COLUMN finished timestamptz;
