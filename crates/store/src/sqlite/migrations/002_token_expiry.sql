-- The time from which on a token is refused, in milliseconds since 1970; null: it does not expire.
ALTER TABLE accesses ADD COLUMN expires_at INTEGER;
